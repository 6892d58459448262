import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeReady, makeRun } from '../../catalog/catalog-fixtures.test-support.ts';
import { pendingDeletionKeys } from '../../catalog/records/pending-deletion-keys.test-support.ts';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import { openTestCatalog } from '../../catalog/test-catalog.test-support.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { MemoryStore } from '../../package/memory-store.test-support.ts';
import { markOrphans } from './mark-orphans.ts';
import { deletePending } from './delete-pending.ts';
import { foundObject } from './found-object.ts';

const dayMs = 24 * 3600_000;
/** More than two queries return. */
const many = 1203;

let catalog: Catalog;
let store: MemoryStore;
let ctx: { catalog: Catalog; store: MemoryStore };
beforeAll(async () => {
  catalog = await openTestCatalog();
});
afterAll(() => catalog.close());
beforeEach(async () => {
  await catalog.garbage.forget([...(await pendingDeletionKeys(catalog))].slice(0, 1000));
  await catalog.garbage.forget([...(await pendingDeletionKeys(catalog))]);
  store = new MemoryStore();
  ctx = { catalog, store };
});

const put = (...keys: string[]): void => keys.forEach((key) => store.objects.set(key, Uint8Array.of(1, 2)));
const orphan = (i: number): string => `packages/${String(i).padStart(32, '0')}-1`;

test.each([
  ['packages/ab12-7', { ownerId: 'ab12', fence: 7 }],
  ['packages/ab12', {}],
  ['packages/ab-12-7', {}],
  ['packages/ab12-9999999999', {}],
  ['staged/ab12/cd34', { ownerId: 'ab12' }],
  ['evalsets/ab12/cd34', { ownerId: 'ab12' }],
])('what the key %s tells', (key, told) => {
  expect(foundObject({ key, storedBytes: 3 })).toEqual({ key, storedBytes: 3, ...told });
});

test('a hub that names nothing is more likely the wrong one: none of its objects is marked for deletion', async () => {
  const empty = await openTestCatalog();
  put(orphan(1), 'staged/a/b');
  expect(await markOrphans({ ...ctx, catalog: empty }, { graceMs: 0 })).toEqual({ objects: 0, bytes: 0 });
  await empty.close();
});

test('objects that nothing names are marked for deletion, and go only after the grace', async () => {
  const { package: record } = await makeReady(catalog, await makeRun(catalog), 0);
  // One of them is the remains of a killed probe.
  put(record.key, ...Array.from({ length: many - 1 }, (_, i) => orphan(i)), 'probe/y', 'other/x');
  const told: string[] = [];
  expect(
    await markOrphans(ctx, { graceMs: dayMs, dryRun: true, onObject: (done, { key }) => told.push(`${done} ${key}`) }),
  ).toMatchObject({
    objects: many,
  });
  expect([told.length, (await pendingDeletionKeys(catalog)).size]).toEqual([many, 0]);
  expect(await markOrphans(ctx, { graceMs: dayMs })).toEqual({ objects: many, bytes: 2 * many });
  expect(await markOrphans(ctx, { graceMs: dayMs })).toEqual({ objects: 0, bytes: 0 });
  expect(await deletePending(ctx, { graceMs: dayMs })).toEqual({ objects: 0, bytes: 0, failed: 0, named: [] });
  expect(await deletePending(ctx, { graceMs: 0, dryRun: true })).toMatchObject({ objects: many });
  expect(store.objects.size).toBe(many + 2);
  expect(await deletePending(ctx, { graceMs: 0 })).toEqual({ objects: many, bytes: 2 * many, failed: 0, named: [] });
  expect([...store.objects.keys()].sort()).toEqual([record.key, 'other/x'].sort());
  expect((await pendingDeletionKeys(catalog)).size).toBe(0);
});

test('an object that is young is left for a later pass', async () => {
  await makeReady(catalog, await makeRun(catalog), 0);
  put(orphan(1));
  const list = store.list.bind(store);
  store.list = async function* (prefix) {
    for await (const listed of list(prefix)) yield { ...listed, modifiedAt: new Date(Date.now() - 60_000) };
  };
  expect(await markOrphans(ctx, { graceMs: dayMs })).toMatchObject({ objects: 0 });
  expect(await markOrphans(ctx, { graceMs: 30_000 })).toMatchObject({ objects: 1 });
});

test('what cannot be deleted keeps none of the others, is told, and is tried again', async () => {
  await catalog.garbage.markOrphans([1, 2, 3].map((i) => ({ key: orphan(i), storedBytes: 2 })));
  put(orphan(1), orphan(2), orphan(3));
  const remove = store.delete.bind(store);
  store.delete = (key) =>
    key === orphan(2) ? Promise.reject(new FirnError('unavailable', 'The storage cannot be reached.')) : remove(key);
  store.deleteMany = (keys) => Promise.all(keys.map((key) => store.delete(key))).then(() => undefined);
  expect(await deletePending(ctx, { graceMs: 0 })).toMatchObject({
    objects: 2,
    failed: 1,
    error: { code: 'unavailable' },
  });
  expect([...(await pendingDeletionKeys(catalog))]).toEqual([orphan(2)]);
  store.delete = remove;
  expect(await deletePending(ctx, { graceMs: 0 })).toMatchObject({ objects: 1, failed: 0 });
  expect(store.objects.size).toBe(0);
});

test('a pass that was killed between deleting and forgetting is repeated by the next', async () => {
  await catalog.garbage.markOrphans([{ key: orphan(1), storedBytes: 2 }]);
  put(orphan(1));
  const killed: Catalog = {
    ...catalog,
    garbage: { ...catalog.garbage, forget: () => Promise.reject(new Error('killed')) },
  };
  await expect(deletePending({ ...ctx, catalog: killed }, { graceMs: 0 })).rejects.toThrow('killed');
  expect(store.objects.size).toBe(0);
  expect(await deletePending(ctx, { graceMs: 0 })).toMatchObject({ objects: 1, failed: 0 });
});

test('an object that something names after all is left alone, whatever the table says', async () => {
  const { package: record } = await makeReady(catalog, await makeRun(catalog), 0);
  put(record.key);
  await catalog.garbage.markOrphans([{ key: record.key, storedBytes: 2 }]);
  expect(await deletePending(ctx, { graceMs: 0 })).toMatchObject({ objects: 0, failed: 0, named: [record.key] });
  expect(store.objects.has(record.key)).toBe(true);
  expect((await pendingDeletionKeys(catalog)).size).toBe(0);
});

test('stops between two pages when it is told to', async () => {
  await catalog.garbage.markOrphans(Array.from({ length: 600 }, (_, i) => ({ key: orphan(i), storedBytes: 2 })));
  const stopping = new AbortController();
  store.deleteMany = async () => stopping.abort(new Error('stopping'));
  await expect(deletePending(ctx, { graceMs: 0 }, stopping.signal)).rejects.toThrow('stopping');
  expect((await pendingDeletionKeys(catalog)).size).toBe(100);
});
