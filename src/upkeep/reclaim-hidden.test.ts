import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectCode, makeCheckpoint, makeReady, makeRun } from '../catalog/catalog-fixtures.test-support.ts';
import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { openTestCatalog } from '../catalog/test-catalog.test-support.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { MemoryStore } from '../package/memory-store.test-support.ts';
import { deleteCheckpoint } from './delete-checkpoint.ts';
import { deleteRun } from './delete-run.ts';
import { collectNow } from './garbage/collect-now.test-support.ts';
import { reclaimHidden } from './reclaim-hidden.ts';

let catalog: Catalog;
let store: MemoryStore;
beforeAll(async () => {
  catalog = await openTestCatalog();
});
afterAll(() => catalog.close());
beforeEach(() => {
  store = new MemoryStore();
});

/** A ready checkpoint whose package is in the store. */
async function stored(run: Run, step: number, ancestor?: Parameters<typeof makeReady>[3]) {
  const ready = await makeReady(catalog, run, step, ancestor);
  store.objects.set(ready.package.key, Uint8Array.of(1));
  return ready;
}

test('goes on where a deletion was killed: down the chain, to the run forked from, and to the run itself', async () => {
  const trunk = await makeRun(catalog);
  const base = await stored(trunk, 1);
  const delta = await stored(trunk, 2, base.package);
  const branch = await makeRun(catalog, { repositoryId: trunk.repositoryId, parentCheckpointId: delta.checkpoint.id });
  await stored(branch, 3, delta.package);
  for (const { id } of [trunk, branch]) await catalog.runs.hide(id);
  expect(store.objects.size).toBe(3);
  expect(await reclaimHidden({ catalog })).toBe(3);
  await collectNow({ catalog, store });
  expect(store.objects.size).toBe(0);
  for (const { id } of [trunk, branch]) expect(await catalog.runs.get(id)).toBeUndefined();
  expect(await reclaimHidden({ catalog })).toBe(0);
});

test('leaves what is live, what something builds on, and ends when somebody else is at it', async () => {
  const run = await makeRun(catalog);
  const base = await stored(run, 1);
  await stored(run, 2, base.package);
  await catalog.checkpoints.hide(base.checkpoint.id);
  expect(await reclaimHidden({ catalog })).toBe(0);
  expect(store.objects.size).toBe(2);
  // Found as reclaimable; when it is purged, something builds on it or it is gone.
  const racing: Catalog = {
    ...catalog,
    checkpoints: { ...catalog.checkpoints, reclaimable: async () => [base.checkpoint.id, 'gone'] },
  };
  expect(await reclaimHidden({ catalog: racing })).toBe(0);
  expect(store.objects.size).toBe(2);
});

test('stops between two checkpoints when it is told to', async () => {
  const run = await makeRun(catalog);
  await stored(run, 1);
  await catalog.runs.hide(run.id);
  await expect(reclaimHidden({ catalog }, AbortSignal.abort(new Error('stopping')))).rejects.toThrow('stopping');
  expect(store.objects.size).toBe(1);
  expect(await reclaimHidden({ catalog }, new AbortController().signal)).toBe(1);
});

test('a deletion is one even when its bytes cannot be reclaimed at once', async () => {
  const failing: Catalog = {
    ...catalog,
    checkpoints: {
      ...catalog.checkpoints,
      reclaimable: async () => {
        throw new FirnError('overloaded', 'Busy.');
      },
    },
  };
  const run = await makeRun(catalog);
  const [first, second] = [await stored(run, 1), await stored(run, 2)];
  await deleteCheckpoint({ catalog: failing }, first.checkpoint);
  await expectCode(deleteCheckpoint({ catalog }, first.checkpoint), 'not-found');
  await deleteRun({ catalog: failing }, run);
  expect(store.objects.size).toBe(2);
  expect(await reclaimHidden({ catalog })).toBe(2);
  expect(await catalog.checkpoints.get(second.checkpoint.id)).toBeUndefined();
  await collectNow({ catalog, store });
  expect(store.objects.size).toBe(0);
});

test('of a run with more reservations than one query finds, all are given up', async () => {
  const run = await makeRun(catalog);
  for (let step = 0; step < 101; step++) await makeCheckpoint(catalog, run, step);
  await deleteRun({ catalog }, run);
  expect(await catalog.runs.get(run.id)).toBeUndefined();
  await expectCode(deleteRun({ catalog }, run), 'not-found');
});
