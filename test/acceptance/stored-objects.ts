import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { objectsOfPrefix } from '../harness/test-stores.ts';
import type { HubApi } from './hub-api.ts';
import type { Hub } from './start-hub.ts';

/**
 * What a broken upload leaves is removed after the answer or the end of its connection; this long, in ms, is far more
 * than that takes.
 */
const settleDeadlineMs = 5_000;

/** Where a hub's objects are. */
type Place = Pick<Hub, 'dataDirectory' | 's3'>;

/**
 * Every file under the hub's object folder, unfinished ones included, or object under its prefix of the bucket, sorted.
 * The one place where tests look behind the address: whether a refused upload left bytes in the store shows nowhere
 * else.
 */
export async function storedObjects(place: Place): Promise<string[]> {
  return [...(await sizesOfObjects(place)).keys()].sort();
}

/** Exactly these objects are there, at once or soon. */
export async function expectObjects(place: Place, expected: readonly string[]): Promise<void> {
  await expect.poll(() => storedObjects(place), { timeout: settleDeadlineMs }).toEqual(expected);
}

/** Bytes in the store that are for something, of all namespaces: what was deleted waits, and is counted apart. */
export async function keptBytes(api: HubApi): Promise<number> {
  return (await storedBytes(api)).kept;
}

/** Exactly these bytes are kept, and nothing is in the store that the hub does not count: at once or soon. */
export async function expectKept(place: Place, api: HubApi, bytes: number): Promise<void> {
  const found = async () => {
    const { kept, all } = await storedBytes(api);
    return { kept, uncounted: [...(await sizesOfObjects(place)).values()].reduce((sum, size) => sum + size, 0) - all };
  };
  await expect.poll(found, { timeout: settleDeadlineMs }).toEqual({ kept: bytes, uncounted: 0 });
}

async function storedBytes(api: HubApi): Promise<{ readonly kept: number; readonly all: number }> {
  const { items } = (await api.read('/v1/usage?limit=1000')) as {
    items: { storedBytes: number; stored: { pendingDeletionBytes: number } }[];
  };
  const all = items.reduce((sum, { storedBytes: bytes }) => sum + bytes, 0);
  return { all, kept: items.reduce((sum, { stored }) => sum - stored.pendingDeletionBytes, all) };
}

async function sizesOfObjects({ dataDirectory, s3 }: Place): Promise<Map<string, number>> {
  if (s3 !== undefined) return objectsOfPrefix(s3.server, s3.prefix);
  const entries = await readdir(join(dataDirectory, 'objects'), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // One may be gone by now.
  const sizes = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return new Map(paths.flatMap((path, i) => (sizes[i] === undefined ? [] : [[path, sizes[i].size] as const])));
}
