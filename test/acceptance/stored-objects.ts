import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { objectsOfPrefix } from '../harness/test-stores.ts';
import type { HubApi } from './hub-api.ts';
import type { Hub } from './start-hub.ts';

/**
 * Longest time, in ms, until the remains of a broken upload are removed after the answer or the end of its connection;
 * it is far more than needed.
 */
const settleDeadlineMs = 5_000;

/** The place of a hub's objects. */
type Place = Pick<Hub, 'dataDirectory' | 's3'>;

/**
 * Every file under the hub's object folder, unfinished ones included, or every object under its prefix of the bucket,
 * sorted. Only here tests look behind the API: nothing else shows whether a refused upload left bytes in the store.
 */
export async function storedObjects(place: Place): Promise<string[]> {
  return [...(await sizesOfObjects(place)).keys()].sort();
}

/** Checks that exactly these objects exist, at once or soon. */
export async function expectObjects(place: Place, expected: readonly string[]): Promise<void> {
  await expect.poll(() => storedObjects(place), { timeout: settleDeadlineMs }).toEqual(expected);
}

/** Bytes in the store of all namespaces, without those pending deletion, which are counted separately. */
export async function keptBytes(api: HubApi): Promise<number> {
  return (await storedBytes(api)).kept;
}

/** Checks that exactly these bytes are stored, and that the hub counts everything in the store: at once or soon. */
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
  // A file may have been deleted meanwhile.
  const sizes = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return new Map(paths.flatMap((path, i) => (sizes[i] === undefined ? [] : [[path, sizes[i].size] as const])));
}
