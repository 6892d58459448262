import { createHash } from 'node:crypto';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';

/**
 * The revision id of a checkpoint: sha1 (40 hex digits, like a git commit) over its run, its step and, sorted by path,
 * role, size, sha256 and path of each file, one a line. Equal ids mean equal uploads; paths hold no line breaks.
 */
export function revisionId(
  runId: string,
  step: number,
  files: readonly Pick<CheckpointFile, 'path' | 'role' | 'sizeBytes' | 'sha256'>[],
): string {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const lines = sorted.map(({ role, sizeBytes, sha256, path }) => `${role} ${sizeBytes} ${sha256} ${path}\n`);
  return createHash('sha1')
    .update(`firn revision 1\nrun ${runId}\nstep ${step}\n${lines.join('')}`)
    .digest('hex');
}
