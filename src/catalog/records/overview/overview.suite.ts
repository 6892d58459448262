import { expect, test } from 'vitest';
import type { Catalog } from '../../contract/catalog.ts';
import type { CheckpointResult } from '../../contract/checkpoint-records.ts';
import { makeCheckpoint, makeReady, makeRepository, makeRun } from '../../catalog-fixtures.test-support.ts';

const result: CheckpointResult = {
  fidelity: 'lossy',
  warnings: [],
  kind: 'base',
  chainLength: 1,
  rawBytes: 1000,
  storedBytes: 100,
  trialCount: 0,
  seconds: {},
};

/** Sums and samples of runs. */
export function overviewSuite(open: () => Catalog): void {
  test('sums count live checkpoints by state, and the bytes of ready ones', async () => {
    const catalog = open();
    const repository = await makeRepository(catalog);
    const run = await makeRun(catalog, { repositoryId: repository.id });
    expect(await catalog.overview.sums(run.id)).toMatchObject({ rawBytes: 0, storedBytes: 0 });
    await makeReady(catalog, run, 1, undefined, result);
    await makeReady(catalog, run, 2, undefined, { ...result, rawBytes: 2000 });
    const { checkpoint: deleted } = await makeReady(catalog, run, 3, undefined, result);
    await catalog.checkpoints.hide(deleted.id);
    await makeCheckpoint(catalog, run, 4);
    expect(await catalog.overview.sums(run.id)).toEqual({
      counts: { open: 1, queued: 0, working: 0, ready: 2, failed: 0, cancelled: 0 },
      rawBytes: 3000,
      storedBytes: 200,
    });
    const sums = await catalog.overview.repositories([repository.id]);
    expect(sums.get(repository.id)).toEqual({ runCount: 1, readyCount: 2, rawBytes: 3000, storedBytes: 200 });
    expect((await catalog.overview.repositories([])).size).toBe(0);
  });

  test('a sample is all of a short run, and of a long one its ends and some checkpoints between', async () => {
    const catalog = open();
    const run = await makeRun(catalog);
    expect(await catalog.overview.sample(run.id, 5)).toEqual([]);
    for (let step = 0; step < 23; step++) await makeCheckpoint(catalog, run, 10 * step);
    const steps = async (countMax: number) => (await catalog.overview.sample(run.id, countMax)).map(({ step }) => step);
    expect((await steps(23)).length).toBe(23);
    expect(await steps(5)).toEqual([0, 50, 100, 150, 200, 220]);
  });

  test('forks are known from both ends, within one repository', async () => {
    const catalog = open();
    const repository = await makeRepository(catalog);
    const run = await makeRun(catalog, { repositoryId: repository.id });
    const { checkpoint } = await makeReady(catalog, run, 7, undefined, result);
    const forked = await makeRun(catalog, { repositoryId: repository.id, parentCheckpointId: checkpoint.id });
    await makeRun(catalog, { parentCheckpointId: checkpoint.id });
    expect(await catalog.overview.forks(run, 10)).toEqual([{ run: forked.name, step: 7 }]);
    const listed = await catalog.overview.runs(repository.id, { limit: 10 });
    expect(listed.map(({ run: each, forkedFrom }) => [each.id, forkedFrom]).sort()).toEqual(
      [
        [run.id, undefined],
        [forked.id, { run: run.name, step: 7 }],
      ].sort(),
    );
  });

  test('queued checkpoints of all repositories come with their names, the oldest first', async () => {
    const catalog = open();
    const repository = await makeRepository(catalog);
    const run = await makeRun(catalog, { repositoryId: repository.id });
    const ids: string[] = [];
    for (const step of [1, 2, 3]) {
      const { id } = await makeCheckpoint(catalog, run, step);
      if (step !== 2) await catalog.checkpoints.transition(id, ['open'], 'queued');
      ids.push(id);
    }
    const ours = async () =>
      (await catalog.overview.queued(1000)).filter(({ checkpoint }) => ids.includes(checkpoint.id));
    const { namespace, name } = repository;
    expect(await ours()).toEqual(
      [ids[0]!, ids[2]!].map((id) => ({ namespace, name, run: run.name, checkpoint: expect.objectContaining({ id }) })),
    );
    await catalog.checkpoints.hide(ids[0]!);
    expect((await ours()).length).toBe(1);
    expect((await catalog.overview.queued(1)).length).toBe(1);
  });

  test('packages come by their ids', async () => {
    const catalog = open();
    const { package: record } = await makeReady(catalog, await makeRun(catalog), 1, undefined, result);
    expect(await catalog.overview.packages([record.id, 'none'])).toEqual([record]);
    expect(await catalog.overview.packages([])).toEqual([]);
  });
}
