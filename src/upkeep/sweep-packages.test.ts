import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeReady, makeRun } from '../catalog/catalog-fixtures.test-support.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { openTestCatalog } from '../catalog/test-catalog.test-support.ts';
import { MemoryStore } from '../package/memory-store.test-support.ts';
import { sweepPackages } from './sweep-packages.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openTestCatalog();
});
afterAll(() => catalog.close());

const before = new Date('2026-05-01T12:00:00Z');
const old = new Date(before.getTime() - 1);

/** A store of objects that are a byte long, each with its time. */
function storeOf(objects: Readonly<Record<string, Date>>): MemoryStore {
  const store = new MemoryStore();
  for (const key of Object.keys(objects)) store.objects.set(key, Uint8Array.of(1));
  store.list = async function* (prefix) {
    for (const key of [...store.objects.keys()].filter((each) => each.startsWith(prefix)))
      yield { key, sizeBytes: 1, storedBytes: 1, modifiedAt: objects[key]! };
  };
  return store;
}

test('removes what is old enough and named by no row, and nothing else', async () => {
  const run = await makeRun(catalog);
  const {
    package: { id },
    checkpoint,
  } = await makeReady(catalog, run, 0);
  const record = await catalog.packages.create({
    id: 'ab'.repeat(16),
    checkpointId: checkpoint.id,
    key: `packages/${'ab'.repeat(16)}-2`,
    sizeBytes: 1,
    storedBytes: 1,
    indexOffsetBytes: 0,
    indexLengthBytes: 0,
    kind: 'base',
    chainLength: 1,
  });
  const store = storeOf({
    [record.key]: old,
    [`packages/${record.id}-1`]: old,
    [`packages/${'cd'.repeat(16)}-1`]: old,
    [`packages/${'ef'.repeat(16)}-1`]: before,
    [`packages/${id}`]: old,
    'packages/short': old,
    'staged/x/y': old,
  });
  expect(await sweepPackages({ catalog, store }, before)).toBe(4);
  expect([...store.objects.keys()].sort()).toEqual([record.key, `packages/${'ef'.repeat(16)}-1`, 'staged/x/y'].sort());
  expect(await sweepPackages({ catalog, store }, before)).toBe(0);
});

test('stops between two objects when it is told to', async () => {
  const store = storeOf({ [`packages/${'01'.repeat(16)}-1`]: old, [`packages/${'02'.repeat(16)}-1`]: old });
  const stopping = new AbortController();
  const remove = store.delete.bind(store);
  store.delete = async (key) => {
    stopping.abort();
    return remove(key);
  };
  await expect(sweepPackages({ catalog, store }, before, stopping.signal)).rejects.toThrow();
  expect(store.objects.size).toBe(1);
});
