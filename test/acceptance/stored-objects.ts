import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Every file under the hub's object folder, unfinished ones included, sorted. The one place where tests look behind the address: whether a
 * refused upload left bytes on the disk shows nowhere else.
 */
export async function storedObjects(dataDirectory: string): Promise<string[]> {
  const entries = await readdir(join(dataDirectory, 'objects'), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
