import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCheckpoint, makeReady, makeRepository, makeRun } from '../../catalog/catalog-fixtures.test-support.ts';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { openTestCatalog } from '../../catalog/test-catalog.test-support.ts';
import { ancestorCandidates, isForkOf } from './find-ancestor.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openTestCatalog();
});
afterAll(() => catalog.close());

const stepsOf = async (run: Run, sequence: number) =>
  (await ancestorCandidates(catalog, run, sequence)).map(
    ({ run: { name }, checkpoint: { step } }) => `${name}@${step}`,
  );
const failed = async (run: Run, step: number) =>
  catalog.checkpoints.transition((await makeCheckpoint(catalog, run, step)).id, ['open'], 'failed');

test('the ready checkpoints before, nearest first, at most twelve; failed ones are passed over', async () => {
  const run = await makeRun(catalog, { name: 'a' });
  for (const step of [10, 20, 30]) await makeReady(catalog, run, step);
  await failed(run, 40);
  for (const step of [5, 60]) await makeReady(catalog, run, step);
  const next = await makeCheckpoint(catalog, run, 70);
  expect(await stepsOf(run, next.sequence)).toEqual(['a@60', 'a@5', 'a@30', 'a@20', 'a@10']);
  expect(await stepsOf(run, 2)).toEqual(['a@20', 'a@10']);
  expect(await stepsOf(run, 0)).toEqual([]);
  for (let step = 100; step < 110; step += 1) await makeReady(catalog, run, step);
  expect(await stepsOf(run, 1000)).toHaveLength(12);
});

test('then from the fork point on, without later checkpoints of the parent', async () => {
  const { id: repositoryId } = await makeRepository(catalog);
  const parent = await makeRun(catalog, { repositoryId, name: 'parent' });
  const [, forkPoint] = [await makeReady(catalog, parent, 1), await makeReady(catalog, parent, 2)];
  await makeReady(catalog, parent, 3);
  const child = await makeRun(catalog, { repositoryId, name: 'child', parentCheckpointId: forkPoint.checkpoint.id });
  expect(await stepsOf(child, 0)).toEqual(['parent@2', 'parent@1']);
  const { checkpoint } = await makeReady(catalog, child, 3);
  const grandchild = await makeRun(catalog, { repositoryId, name: 'grandchild', parentCheckpointId: checkpoint.id });
  expect(await stepsOf(grandchild, 0)).toEqual(['child@3', 'parent@2', 'parent@1']);
});

test('a fork from a checkpoint that failed builds on the one before that', async () => {
  const { id: repositoryId } = await makeRepository(catalog);
  const parent = await makeRun(catalog, { repositoryId, name: 'parent' });
  await makeReady(catalog, parent, 1);
  const child = await makeRun(catalog, {
    repositoryId,
    name: 'child',
    parentCheckpointId: (await failed(parent, 2)).id,
  });
  expect(await stepsOf(child, 0)).toEqual(['parent@1']);
});

test('a run is of the line of those that it was forked from, not of their other forks', async () => {
  const { id: repositoryId } = await makeRepository(catalog);
  const parent = await makeRun(catalog, { repositoryId, name: 'parent' });
  const { id: parentCheckpointId } = (await makeReady(catalog, parent, 1)).checkpoint;
  const child = await makeRun(catalog, { repositoryId, name: 'child', parentCheckpointId });
  const other = await makeRun(catalog, { repositoryId, name: 'other', parentCheckpointId });
  const { checkpoint } = await makeReady(catalog, child, 2);
  const grandchild = await makeRun(catalog, { repositoryId, name: 'grandchild', parentCheckpointId: checkpoint.id });
  const answers = await Promise.all(
    [grandchild, child, parent, other].map(({ id }) => isForkOf(catalog, grandchild, id)),
  );
  expect(answers).toEqual([true, true, true, false]);
});
