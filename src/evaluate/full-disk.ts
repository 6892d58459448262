import { FirnError } from '../checkpoint/firn-error.ts';
import { diskError } from '../store/filesystem/disk-error.ts';

/**
 * The error for a failed write of an evaluation: `storage-full` if a disk or a quota has no room, else the failure
 * itself.
 */
export function reportFullDisk(cause: unknown): unknown {
  if (diskError(cause).code !== 'storage-full') return cause;
  return new FirnError('storage-full', 'There is no space left for what an evaluation writes.', { cause });
}
