import { randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync } from 'node:fs';

/**
 * How long ago a file was written or a directory changed, in ms, by the clock of the file system it is on: the clocks
 * of machines that share it may differ by any amount, while the file system stamps what all of them write. Infinity for
 * a path that is not there. Makes and removes an empty file beside it. Failures of the disk pass as they are.
 */
export function fileAgeMs(path: string): number {
  const written = statSync(path, { throwIfNoEntry: false });
  return written === undefined ? Number.POSITIVE_INFINITY : nowBeside(path) - written.mtimeMs;
}

/** What time it is for the file system. */
function nowBeside(path: string): number {
  const probe = `${path}.now-${randomUUID()}`;
  closeSync(openSync(probe, 'wx', 0o600));
  try {
    return statSync(probe).mtimeMs;
  } finally {
    rmSync(probe, { force: true });
  }
}
