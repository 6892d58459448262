import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';

/** Objects are deleted after the answer or the state that made them superfluous; this long, in ms, is far more than that takes. */
const settleDeadlineMs = 5_000;

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

/** Exactly these objects are there, at once or soon. */
export async function expectObjects(dataDirectory: string, expected: readonly string[]): Promise<void> {
  await expect.poll(() => storedObjects(dataDirectory), { timeout: settleDeadlineMs }).toEqual(expected);
}
