import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small file system in memory, which a test can fill. */
export interface SmallDisk {
  readonly directory: string;
  freeBytes(): number;
  /** Fills it except for this much. */
  fill(leaveBytes: number): void;
  /** Releases what `fill` took. */
  empty(): void;
  unmount(): void;
}

/** Mounts one; undefined if this user may not. Needs root on Linux. */
export function mountSmallDisk(sizeMib: number): SmallDisk | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'firn-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'tmpfs', directory], { stdio: 'pipe' });
  } catch {
    rmSync(directory, { recursive: true });
    return undefined;
  }
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  };
  let fillers = 0;
  return {
    directory,
    freeBytes,
    fill(leaveBytes) {
      const takenBytes = freeBytes() - leaveBytes;
      if (takenBytes > 0) writeFileSync(join(directory, `filler-${++fillers}`), Buffer.alloc(takenBytes));
    },
    empty() {
      for (; fillers > 0; fillers--) rmSync(join(directory, `filler-${fillers}`));
    },
    unmount() {
      execFileSync('umount', ['-l', directory]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
