import { expect, test } from 'vitest';
import type { Catalog } from '../contract/catalog.ts';
import {
  expectCode,
  freshName,
  makeCheckpoint,
  makeEvalSet,
  makeReady,
  makeRepository,
  makeRun,
} from '../catalog-fixtures.test-support.ts';
import { pageLimitMax } from '../db/page-limit.ts';

/** Repositories, eval sets, runs and trials. */
export function recordsSuite(open: () => Catalog): void {
  test('a repository is found by name and by id, and only once by name', async () => {
    const { repositories } = open();
    const created = await repositories.create({ namespace: 'a', name: 'b', type: 'model' });
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      namespace: 'a',
      name: 'b',
      type: 'model',
      visibility: 'private',
      createdAt: expect.any(Date),
    });
    expect(await repositories.find('a', 'b')).toEqual(created);
    expect(await repositories.get(created.id)).toEqual(created);
    expect(await repositories.find('a', 'c')).toBeUndefined();
    expect(await repositories.get('no such id')).toBeUndefined();
    const error = await expectCode(repositories.create({ namespace: 'a', name: 'b', type: 'dataset' }), 'conflict');
    expect(error.message).not.toMatch(/insert|constraint/);
  });

  test('repositories are paged by namespace and name, byte by byte', async () => {
    const { repositories } = open();
    for (const [namespace, name] of [
      ['p', 'b'],
      ['p', 'B'],
      ['p', 'a-1'],
      ['p-q', 'a'],
      ['p', 'a'],
    ] as const)
      await repositories.create({ namespace, name, type: 'model' });
    const first = await repositories.list({ limit: 3, after: 'p/' });
    const second = await repositories.list({ limit: 3, after: 'p/a-1' });
    expect(first.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(['p/B', 'p/a', 'p/a-1']);
    expect(second.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(['p/b', 'p-q/a']);
  });

  test('repositories are searched by a part of namespace and name, in any case', async () => {
    const { repositories } = open();
    for (const name of ['Lm-1', 'lm_1', 'other'])
      await repositories.create({ namespace: 'sought', name, type: 'model' });
    const names = async (search: string) =>
      (await repositories.list({ limit: 10 }, 'all', { search })).map(({ name }) => name);
    expect(await names('SOUGHT/lm')).toEqual(['Lm-1', 'lm_1']);
    expect(await names('sought/lm_')).toEqual(['lm_1']);
    expect(await names('sought/l%')).toEqual([]);
  });

  test('repositories are listed by namespace and by visibility, and all filters must be met', async () => {
    const { repositories } = open();
    for (const [namespace, name, visibility] of [
      ['kept', 'a', 'private'],
      ['kept', 'b', 'public'],
      ['kept-2', 'b', 'public'],
    ] as const)
      await repositories.create({ namespace, name, type: 'model', visibility });
    const names = async (filter: Parameters<typeof repositories.list>[2]) =>
      (await repositories.list({ limit: 10 }, 'all', { search: 'kept', ...filter })).map(
        ({ namespace, name }) => `${namespace}/${name}`,
      );
    expect(await names({ namespace: 'kept' })).toEqual(['kept/a', 'kept/b']);
    expect(await names({ visibility: 'public' })).toEqual(['kept/b', 'kept-2/b']);
    expect(await names({ namespace: 'kept', visibility: 'public' })).toEqual(['kept/b']);
    expect(await names({ namespace: 'KEPT' })).toEqual([]);
  });

  test.each([0, -1, 1.5, Number.NaN, pageLimitMax + 1])('a page of %s items is refused', async (limit) => {
    await expectCode(open().repositories.list({ limit }), 'invalid-request');
  });

  test('a value that the database cannot hold is refused without naming SQL', async () => {
    const error = await expectCode(
      open().repositories.create({ namespace: 'a\u0000', name: 'b', type: 'model' }),
      'invalid-request',
    );
    expect(error.message).toBe('A value of the request cannot be stored.');
    expect(`${error.detail} ${String(error.cause)}`).not.toMatch(/insert into/i);
  });

  test('an eval set takes its parts while open, and names the object that a part replaces', async () => {
    const { evalSets } = open();
    const { id, repositoryId, name } = await makeEvalSet(open());
    expect(
      await evalSets.setPart(id, 'graph', { key: 'k1', sha256: 's1', sizeBytes: 1, storedBytes: 1 }),
    ).toBeUndefined();
    expect(
      await evalSets.setPart(id, 'graph', { key: 'k1', sha256: 's1', sizeBytes: 1, storedBytes: 1 }),
    ).toBeUndefined();
    expect(await evalSets.setPart(id, 'graph', { key: 'k2', sha256: 's2', sizeBytes: 2, storedBytes: 2 })).toBe('k1');
    expect(
      await evalSets.setPart(id, 'batches', { key: 'k3', sha256: 's3', sizeBytes: 3, storedBytes: 3 }),
    ).toBeUndefined();
    expect(await evalSets.find(repositoryId, name)).toMatchObject({
      state: 'open',
      graphKey: 'k2',
      graphSha256: 's2',
      graphBytes: 2,
      batchesKey: 'k3',
      batchesBytes: 3,
    });
    expect((await open().objects.named(['k1', 'k2', 'k3'])).sort()).toEqual(['k2', 'k3']);
    await evalSets.setState(id, 'ready');
    await expectCode(
      evalSets.setPart(id, 'graph', { key: 'k4', sha256: 's', sizeBytes: 1, storedBytes: 1 }),
      'conflict',
    );
    expect(await evalSets.get(id)).toMatchObject({ state: 'ready', graphKey: 'k2' });
    await expectCode(
      evalSets.setPart('none', 'graph', { key: 'k', sha256: 's', sizeBytes: 1, storedBytes: 1 }),
      'not-found',
    );
  });

  test('an eval set keeps the reason of its failure', async () => {
    const { evalSets } = open();
    const { id } = await makeEvalSet(open());
    await evalSets.setState(id, 'failed', { code: 'graph-invalid', message: 'no' });
    expect(await evalSets.get(id)).toMatchObject({ state: 'failed', errorCode: 'graph-invalid', errorMessage: 'no' });
    // A concurrent check with another outcome comes too late.
    await expectCode(evalSets.setState(id, 'ready'), 'conflict');
    expect(await evalSets.get(id)).toMatchObject({ state: 'failed' });
    await expectCode(evalSets.setState('none', 'ready'), 'not-found');
  });

  test('an eval set is deleted with its keys, but not while a run uses it', async () => {
    const repository = await makeRepository(open());
    const used = await makeEvalSet(open(), repository);
    await makeRun(open(), { repositoryId: repository.id, evalSetId: used.id });
    await expectCode(open().evalSets.delete(used.id), 'conflict');
    const free = await makeEvalSet(open(), repository);
    await open().evalSets.setPart(free.id, 'batches', { key: 'gone', sha256: 's', sizeBytes: 1, storedBytes: 1 });
    expect(await open().evalSets.delete(free.id)).toEqual(['gone']);
    expect((await open().evalSets.list(repository.id, { limit: 10 })).map(({ id }) => id)).toEqual([used.id]);
    await expectCode(open().evalSets.delete(free.id), 'not-found');
  });

  test('a run comes back as it was created; a second one of the name is refused', async () => {
    const { runs } = open();
    const run = await makeRun(open(), { layerTypes: { $number: 'linear', 'a.b': 'embedding' } });
    expect(run.seed).toBe('18446744073709551615');
    expect(run.layerTypes).toEqual({ $number: 'linear', 'a.b': 'embedding' });
    expect(Object.keys(run)).not.toContain('evalSetId');
    expect(await runs.find(run.repositoryId, run.name)).toEqual(run);
    expect(await runs.list(run.repositoryId, { limit: 5 })).toEqual([run]);
    expect(await runs.list(run.repositoryId, { limit: 5, after: run.name })).toEqual([]);
    await expectCode(makeRun(open(), { repositoryId: run.repositoryId, name: run.name }), 'conflict');
    await expectCode(makeRun(open(), { repositoryId: 'none' }), 'conflict');
  });

  test('a run keeps its binding and its layout', async () => {
    const { runs } = open();
    const { id } = await makeRun(open());
    await runs.setBinding(id, 'set', { w: { tensor: 't', transpose: true } });
    expect(await runs.get(id)).toMatchObject({
      binding: { w: { tensor: 't', transpose: true } },
      bindingEvalSetId: 'set',
    });
    expect(await runs.lockLayout(id)).toBeUndefined();
    expect(await runs.layoutOf(id)).toBeUndefined();
    await runs.setLayout(id, [{ name: 't', dtype: 'F32', shape: [2, 3] }]);
    expect(await runs.layoutOf(id)).toEqual([{ name: 't', dtype: 'F32', shape: [2, 3] }]);
    expect(await runs.lockLayout(id)).toEqual([{ name: 't', dtype: 'F32', shape: [2, 3] }]);
    for (const lost of [
      () => runs.setBinding('none', 'set', {}),
      () => runs.setLayout('none', []),
      () => runs.lockLayout('none'),
    ])
      await expectCode(lost(), 'not-found');
  });

  test('trials keep the first record of a config and every kind of number', async () => {
    const { trials } = open();
    const { id } = await makeCheckpoint(open());
    const config = {
      method: 'inshrinkerator',
      bins: 8,
      embeddingBins: 16,
      pruneFraction: 0.1,
      pruneMetric: 'magnitude',
      protectFraction: 0.005,
    } as const;
    const trial = {
      checkpointId: id,
      configKey: 'k',
      config,
      ordinal: 1,
      search: 2,
      estimatedBytes: 10.5,
      device: 'cuda' as const,
      metrics: { a: Number.NaN, b: 0.1 + 0.2 },
      degradation: { a: Number.POSITIVE_INFINITY, b: -1e-300 },
      passed: false,
      seconds: 0.25,
    };
    await trials.record(trial);
    await trials.record({ ...trial, ordinal: 5, passed: true });
    const halves = [{ a: Number.NaN }, { a: -0.1 }];
    await trials.record({ ...trial, configKey: 'j', ordinal: 0, halves });
    expect(await trials.list(id)).toEqual([
      { ...trial, configKey: 'j', ordinal: 0, halves, createdAt: expect.any(Date) },
      { ...trial, createdAt: expect.any(Date) },
    ]);
  });

  test('lists of another owner stay apart', async () => {
    const run = await makeRun(open());
    const other = await makeRun(open(), { name: run.name });
    await makeReady(open(), run, 1);
    expect(await open().checkpoints.list(other.id, { limit: 9 })).toEqual([]);
    expect(await open().runs.find(other.repositoryId, freshName())).toBeUndefined();
  });

  test('a hidden run is found by its id only, and frees its name and its eval set', async () => {
    const evalSet = await makeEvalSet(open());
    const run = await makeRun(open(), { repositoryId: evalSet.repositoryId, evalSetId: evalSet.id });
    const { checkpoint } = await makeReady(open(), run, 1);
    await open().runs.lock(run.id);
    expect(await open().runs.hide(run.id)).toEqual([]);
    expect(await open().runs.find(run.repositoryId, run.name)).toBeUndefined();
    expect(await open().runs.list(run.repositoryId, { limit: 10 })).toEqual([]);
    expect((await open().runs.get(run.id))?.deletedAt).toBeInstanceOf(Date);
    expect((await open().checkpoints.get(checkpoint.id))?.deletedAt).toBeInstanceOf(Date);
    await expectCode(open().runs.hide(run.id), 'not-found');
    await expectCode(open().runs.lock(run.id), 'not-found');
    await expectCode(makeCheckpoint(open(), run, 2), 'not-found');
    await open().evalSets.delete(evalSet.id);
    const again = await makeRun(open(), { repositoryId: run.repositoryId, name: run.name });
    expect((await open().runs.find(run.repositoryId, run.name))?.id).toBe(again.id);
    await expectCode(makeRun(open(), { repositoryId: run.repositoryId, name: run.name }), 'conflict');
  });

  test('a run with unfinished checkpoints is not hidden, and nothing of it', async () => {
    const run = await makeRun(open());
    const ready = await makeReady(open(), run, 1);
    const { id } = await makeCheckpoint(open(), run, 2);
    for (const state of ['queued', 'working', 'failed'] as const) {
      await expectCode(open().runs.hide(run.id), 'conflict');
      expect((await open().checkpoints.get(ready.checkpoint.id))?.deletedAt).toBeUndefined();
      expect((await open().checkpoints.unfinished(run.id, 10)).map((checkpoint) => checkpoint.id)).toEqual([id]);
      await open().checkpoints.transition(id, ['open', 'queued', 'working'], state);
    }
    expect(await open().checkpoints.unfinished(run.id, 10)).toEqual([]);
    await open().runs.hide(run.id);
  });

  test('a hidden run goes once it has no checkpoints, and only then', async () => {
    while ((await open().runs.purgeHidden()) > 0);
    const [kept, live, empty] = [await makeRun(open()), await makeRun(open()), await makeRun(open())];
    const { checkpoint } = await makeReady(open(), kept, 1);
    for (const { id } of [kept, empty]) await open().runs.hide(id);
    expect(await open().runs.purgeHidden()).toBe(1);
    expect(await open().runs.get(empty.id)).toBeUndefined();
    expect(await open().runs.get(live.id)).toBeDefined();
    await open().checkpoints.purge(checkpoint.id);
    expect(await open().runs.purgeHidden()).toBe(1);
    expect(await open().runs.get(kept.id)).toBeUndefined();
  });
}
