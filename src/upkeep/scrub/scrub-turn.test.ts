import { afterAll, beforeEach, expect, test } from 'vitest';
import { makeReady, makeRun } from '../../catalog/catalog-fixtures.test-support.ts';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import { openTestCatalog } from '../../catalog/test-catalog.test-support.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { MemoryStore } from '../../package/memory-store.test-support.ts';
import type { ScrubContext } from './examine-object.ts';
import { scrubTurn } from './scrub-turn.ts';

/** A turn is free at once, and a new round is always due. */
const atOnce = { everyMs: 0, turnMs: 0 };
/** More than one query returns. */
const objectCount = 40;

let catalog: Catalog;
let store: MemoryStore;
let keys: string[];
let opened: string[];
let found: string[];
let unread: string[];
let failing: { readonly from: number; readonly code: 'unavailable' | 'internal' } | undefined;
let ctx: ScrubContext;

beforeEach(async () => {
  await catalog?.close();
  catalog = await openTestCatalog();
  store = new MemoryStore();
  [opened, found, unread, failing] = [[], [], [], undefined];
  const run = await makeRun(catalog);
  for (let step = 0; step < objectCount; step++) {
    const { key } = (await makeReady(catalog, run, step)).package;
    store.objects.set(key, Uint8Array.of(1, 2, 3));
  }
  keys = [...store.objects.keys()].sort();
  const open = store.open.bind(store);
  store.open = async (key) => {
    opened.push(key);
    if (failing !== undefined && keys.indexOf(key) >= failing.from)
      throw new FirnError(failing.code, 'The storage failed.');
    return open(key);
  };
  ctx = {
    catalog,
    store,
    onDamage: ({ key, what, checkpoints }, isNew) =>
      found.push(`${isNew ? 'new ' : ''}${what} ${key} ${checkpoints.length}`),
    onUnread: (key) => unread.push(key),
  };
});
afterAll(() => catalog.close());

test('a round reads every object once and is remembered; the next waits for its time', async () => {
  expect(await scrubTurn(ctx, atOnce)).toBe(objectCount);
  expect(opened.sort()).toEqual(keys);
  expect(await catalog.objects.scrubRound()).toMatchObject({
    objects: objectCount,
    bytes: 3 * objectCount,
    endedAt: expect.any(Date),
  });
  expect(await scrubTurn(ctx, { ...atOnce, everyMs: 3600_000 })).toBe(0);
  expect(await scrubTurn(ctx, atOnce)).toBe(objectCount);
  expect(found).toEqual([]);
});

test('one process at a time', async () => {
  const turns = await Promise.all([1, 2, 3].map(() => scrubTurn(ctx, { everyMs: 0, turnMs: 3600_000 })));
  expect(turns.sort((a, b) => b - a)).toEqual([objectCount, 0, 0]);
});

test('a storage out of reach is no damage: the turn ends, and the next goes on behind what was read', async () => {
  failing = { from: 35, code: 'unavailable' };
  await expect(scrubTurn(ctx, atOnce)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await catalog.damage.count()).toBe(0);
  const round = await catalog.objects.scrubRound();
  expect(round).toMatchObject({ afterKey: keys[31], objects: 32 });
  expect(round!.endedAt).toBeUndefined();
  [failing, opened] = [undefined, []];
  expect(await scrubTurn(ctx, atOnce)).toBe(objectCount - 32);
  expect(opened.sort()).toEqual(keys.slice(32));
  expect(await catalog.objects.scrubRound()).toMatchObject({ objects: objectCount, endedAt: expect.any(Date) });
});

test('an object that cannot be read is told, is not called damaged, and does not stop the others', async () => {
  failing = { from: 39, code: 'internal' };
  expect(await scrubTurn(ctx, atOnce)).toBe(objectCount);
  expect(unread).toEqual([keys[39]]);
  expect(await catalog.damage.count()).toBe(0);
});

test('a missing object is told once as new, until it is there again', async () => {
  store.objects.delete(keys[5]!);
  await scrubTurn(ctx, atOnce);
  expect(found).toEqual([`new missing ${keys[5]} 1`]);
  await scrubTurn(ctx, { ...atOnce, everyMs: 3600_000 });
  expect(found.slice(1)).toEqual([`missing ${keys[5]} 1`]);
  store.objects.set(keys[5]!, Uint8Array.of(1));
  await scrubTurn(ctx, { ...atOnce, everyMs: 3600_000 });
  expect(await catalog.damage.count()).toBe(0);
});

test('what was deleted while it was read is not missing, and leaves the quarantine', async () => {
  await catalog.damage.note({ key: 'packages/was-merged-away', what: 'corrupt', detail: '' });
  store.objects.delete(keys[5]!);
  const deleted: Catalog = { ...catalog, objects: { ...catalog.objects, named: async () => [] } };
  await scrubTurn({ ...ctx, catalog: deleted }, atOnce);
  expect(found).toEqual([]);
  expect(await catalog.damage.count()).toBe(0);
});

test('a round that is told to stop goes on later', async () => {
  await expect(scrubTurn(ctx, atOnce, AbortSignal.abort(new Error('stopping')))).rejects.toThrow('stopping');
  expect(await scrubTurn(ctx, atOnce)).toBe(objectCount);
});
