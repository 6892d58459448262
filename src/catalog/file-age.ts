import { randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync } from 'node:fs';

/**
 * Time since a file was written or a directory changed, in ms, by the clock of its file system. The clocks of machines
 * that share it may differ, but the file system stamps all their writes. Infinity for a missing path. Creates and
 * removes an empty file beside it. Failures of the disk are not translated.
 */
export function fileAgeMs(path: string): number {
  const written = statSync(path, { throwIfNoEntry: false });
  return written === undefined ? Number.POSITIVE_INFINITY : nowBeside(path) - written.mtimeMs;
}

/** The current time of the file system. */
function nowBeside(path: string): number {
  const probe = `${path}.now-${randomUUID()}`;
  closeSync(openSync(probe, 'wx', 0o600));
  try {
    return statSync(probe).mtimeMs;
  } finally {
    rmSync(probe, { force: true });
  }
}
