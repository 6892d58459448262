import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import type { Disk } from '../store/filesystem/disk.ts';

/** An unfinished file that nobody has written to for this long belongs to no put any more, in ms. */
const abandonedMs = 24 * 3600 * 1000;

/** The disk of an object folder that several processes have open: unfinished files of the others are not swept when one starts, unless they are old. */
export function sharedDisk(folder: string): Disk {
  const temporary = join(folder, 'tmp');
  const readdir = (async (path: string, ...rest: []) => {
    const names = await fs.readdir(path, ...rest);
    if (path !== temporary) return names;
    const ages = await Promise.all(names.map((name) => ageMs(join(path, name))));
    return names.filter((_, index) => ages[index]! > abandonedMs);
  }) as typeof fs.readdir;
  const unlink = async (path: string): Promise<void> => {
    // Two processes that start at once may find the same old file.
    await fs.unlink(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' || !path.startsWith(temporary)) throw error;
    });
  };
  return { ...fs, readdir, unlink: unlink as typeof fs.unlink };
}

async function ageMs(path: string): Promise<number> {
  const stat = await fs.stat(path).catch(() => undefined);
  return stat === undefined ? 0 : Date.now() - stat.mtimeMs;
}
