import { afterAll, beforeEach, expect, test } from 'vitest';
import { makeReady, makeRun } from '../../catalog/catalog-fixtures.test-support.ts';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import { openTestCatalog } from '../../catalog/test-catalog.test-support.ts';
import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import { MemoryStore } from '../../package/memory-store.test-support.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import { Quarantine, quarantinedStore } from './quarantine.ts';
import { Suspects, watchedStore } from './suspects.ts';

let catalog: Catalog;
let bare: MemoryStore;
let opened: string[];
/** Error codes for reads of an object, by key, and how many more reads fail. */
let refused: Map<string, { readonly code: FirnErrorCode; left: number }>;
const refuse = (key: string, code: FirnErrorCode, left = Infinity): void => void refused.set(key, { code, left });
let told: string[];
let suspects: Suspects;
let store: ObjectStore;
let keys: string[];

beforeEach(async () => {
  await catalog?.close();
  catalog = await openTestCatalog();
  bare = new MemoryStore();
  [opened, told, refused] = [[], [], new Map()];
  const run = await makeRun(catalog);
  keys = [];
  for (const step of [0, 1, 2]) {
    const { key } = (await makeReady(catalog, run, step)).package;
    bare.objects.set(key, Uint8Array.of(1, 2, 3));
    keys.push(key);
  }
  const open = bare.open.bind(bare);
  bare.open = async (key) => {
    opened.push(key);
    const reader = await open(key);
    const check = (): void => {
      const refusal = refused.get(key);
      if (refusal !== undefined && refusal.left-- > 0) throw new FirnError(refusal.code, 'The read was refused.');
    };
    return {
      sizeBytes: reader.sizeBytes,
      async read(...range) {
        check();
        return reader.read(...range);
      },
      async *stream(...range) {
        yield* reader.stream(0, 1);
        check();
        yield* reader.stream(1, ...(range.slice(1) as [number]));
      },
      close: () => reader.close(),
    };
  };
  suspects = new Suspects({
    catalog,
    store: bare,
    onDamage: ({ key, what, checkpoints }, isNew) =>
      told.push(`${isNew ? 'new ' : ''}${what} ${key} ${checkpoints.length}`),
    onUnread: (key) => told.push(`unread ${key}`),
  });
  const watched = watchedStore(bare, (key) => suspects.add(key));
  store = quarantinedStore(watched, new Quarantine(catalog, { refreshMs: 0 }));
});
afterAll(() => catalog.close());

async function readAll(key: string): Promise<number> {
  const reader = await store.open(key);
  try {
    let bytes = 0;
    for await (const piece of reader.stream()) bytes += piece.length;
    return bytes;
  } finally {
    await reader.close();
  }
}

const damaged = async (): Promise<string[]> => (await catalog.damage.list({ limit: 100 })).map(({ key }) => key);

test('a read that is refused puts the object into quarantine, with what it affects told once', async () => {
  const [first, second] = keys as [string, string];
  refuse(first, 'corrupt-object');
  await expect(readAll(first)).rejects.toMatchObject({ code: 'corrupt-object' });
  await expect.poll(() => told, { timeout: 20_000 }).toEqual([`new corrupt ${first} 1`]);
  expect(await damaged()).toEqual([first]);
  // In quarantine it is neither read nor examined again.
  const before = opened.length;
  await expect(store.open(first)).rejects.toMatchObject({ detail: `${first} is in quarantine` });
  expect(await readAll(second)).toBe(3);
  expect(opened.slice(before)).toEqual([second]);
});

test('so do a range that is refused and an object that is not there', async () => {
  refuse(keys[1]!, 'corrupt-object');
  const reader = await store.open(keys[1]!);
  await expect(reader.read(0, 2)).rejects.toMatchObject({ code: 'corrupt-object' });
  await reader.close();
  bare.objects.delete(keys[2]!);
  await expect(store.open(keys[2]!)).rejects.toMatchObject({ code: 'not-found' });
  await expect.poll(damaged, { timeout: 20_000 }).toEqual([keys[1]!, keys[2]!].sort());
});

test('an object that reads whole again, one that nothing names and an unreachable store are no damage', async () => {
  refuse(keys[0]!, 'corrupt-object', 2);
  await expect(readAll(keys[0]!)).rejects.toMatchObject({ code: 'corrupt-object' });
  await expect(store.open('packages/never-there')).rejects.toMatchObject({ code: 'not-found' });
  refuse(keys[1]!, 'unavailable');
  await expect(readAll(keys[1]!)).rejects.toMatchObject({ code: 'unavailable' });
  await suspects.close();
  expect(told).toEqual([]);
  expect(await damaged()).toEqual([]);
  suspects.add(keys[0]!);
  expect(opened.filter((key) => key === keys[1])).toHaveLength(1);
});

test('a store that gives out while an object is examined is told, and the next one is examined', async () => {
  refuse(keys[0]!, 'unavailable');
  refuse(keys[1]!, 'corrupt-object');
  suspects.add(keys[0]!);
  suspects.add(keys[1]!);
  await expect.poll(() => told, { timeout: 20_000 }).toEqual([`unread ${keys[0]}`, `new corrupt ${keys[1]} 1`]);
  expect(await damaged()).toEqual([keys[1]]);
});
