import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { HubApi } from './hub-api.ts';
import type { Hub } from './start-hub.ts';

/** What a broken upload leaves is removed after the answer or the end of its connection; this long, in ms, is far more than that takes. */
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

/** Bytes in the store that are for something, of all namespaces: what was deleted waits, and is counted apart. */
export async function keptBytes(api: HubApi): Promise<number> {
  return (await storedBytes(api)).kept;
}

/** Exactly these bytes are kept, and nothing is on the disk that the hub does not count: at once or soon. */
export async function expectKept({ dataDirectory }: Pick<Hub, 'dataDirectory'>, api: HubApi, bytes: number): Promise<void> {
  const found = async () => {
    const { kept, all } = await storedBytes(api);
    return { kept, uncounted: (await bytesOnDisk(dataDirectory)) - all };
  };
  await expect.poll(found, { timeout: settleDeadlineMs }).toEqual({ kept: bytes, uncounted: 0 });
}

async function storedBytes(api: HubApi): Promise<{ readonly kept: number; readonly all: number }> {
  const { items } = (await api.read('/v1/usage?limit=1000')) as { items: { storedBytes: number; stored: { condemnedBytes: number } }[] };
  const all = items.reduce((sum, { storedBytes: bytes }) => sum + bytes, 0);
  return { all, kept: items.reduce((sum, { stored }) => sum - stored.condemnedBytes, all) };
}

async function bytesOnDisk(dataDirectory: string): Promise<number> {
  const sizes = await Promise.all((await storedObjects(dataDirectory)).map((path) => stat(path).catch(() => ({ size: 0 }))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}
