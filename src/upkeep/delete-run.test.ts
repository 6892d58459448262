import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Catalog } from '../catalog/contract/catalog.ts';
import { expectCode, makeCheckpoint, makeRun } from '../catalog/catalog-fixtures.test-support.ts';
import { openTestCatalog } from '../catalog/test-catalog.test-support.ts';
import { deleteRun } from './delete-run.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openTestCatalog();
});
afterAll(() => catalog.close());

/** A catalog in which something happens to a reservation between its lookup and its end. */
function meanwhile(happens: (tx: Catalog, id: string) => Promise<unknown>): Catalog {
  return {
    ...catalog,
    transaction: (work) =>
      catalog.transaction((tx) =>
        work({
          ...tx,
          checkpoints: {
            ...tx.checkpoints,
            async discard(id, condition) {
              await happens(tx, id);
              return tx.checkpoints.discard(id, condition);
            },
          },
        }),
      ),
  };
}

test('a reservation that another request gives up meanwhile does not keep a run from being deleted', async () => {
  const run = await makeRun(catalog);
  await makeCheckpoint(catalog, run, 1);
  await makeCheckpoint(catalog, run, 2);
  await deleteRun({ catalog: meanwhile((tx, id) => tx.checkpoints.discard(id)) }, run);
  expect(await catalog.runs.find(run.repositoryId, run.name)).toBeUndefined();
  expect(await catalog.checkpoints.find(run.id, 1)).toBeUndefined();
});

test('one that is committed meanwhile does', async () => {
  const run = await makeRun(catalog);
  await makeCheckpoint(catalog, run, 1);
  await expectCode(
    deleteRun({ catalog: meanwhile((tx, id) => tx.checkpoints.transition(id, ['open'], 'queued')) }, run),
    'conflict',
  );
  expect(await catalog.runs.find(run.repositoryId, run.name)).toEqual(run);
  expect(await catalog.checkpoints.find(run.id, 1)).toMatchObject({ state: 'open' });
});
