import { afterEach, beforeEach, expect, test } from 'vitest';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Catalog } from '../contract/catalog.ts';
import type { Claim, Job } from '../contract/work/job-records.ts';
import { describeOnPostgres } from '../../../test/postgres/create-database.ts';
import { expectCode, freshName, makeReady, makeRepository, makeRun } from '../catalog-fixtures.test-support.ts';
import { fencedCatalog } from '../fenced-catalog.ts';
import { createTestDatabase, type TestCatalogDatabase } from './test-postgres.test-support.ts';

const leaseMs = 60_000;
const runs = 20;
const jobsPerRun = 50;

const claimOf = (job: Job): Claim => ({ jobId: job.id, workerId: job.lockedBy!, fence: job.fence });

/** Two catalogs with a pool each, like two processes: effects that one shared connection would hide show here. */
describeOnPostgres('two processes on one catalog', () => {
  let database: TestCatalogDatabase;
  let catalogs: readonly [Catalog, Catalog];
  beforeEach(async () => {
    database = await createTestDatabase();
    catalogs = [await database.open(), await database.open()];
  });
  afterEach(async () => {
    for (const catalog of catalogs) await catalog.close();
    await database.drop();
  });
  /** Runs something on both catalogs, at once and in turn. */
  const race = <T>(
    times: number,
    work: (catalog: Catalog, index: number) => Promise<T>,
  ): Promise<PromiseSettledResult<T>[]> =>
    Promise.allSettled(Array.from({ length: times }, (_, index) => work(catalogs[index % 2]!, index)));
  const won = <T>(results: readonly PromiseSettledResult<T>[]): T[] =>
    results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const codes = (results: readonly PromiseSettledResult<unknown>[]): unknown[] =>
    results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as { code?: string }).code] : []));

  test('eight workers claim each job once, in the order of its run, and never two of a run at a time', async () => {
    for (let sequence = 0; sequence < jobsPerRun; sequence++) {
      await race(runs, (catalog, run) =>
        catalog.jobs.enqueue({
          kind: 'encode',
          subjectId: `${run}/${sequence}`,
          orderKey: `run-${run}`,
          orderSequence: sequence,
        }),
      );
    }
    const running = new Set<string>();
    const done: Job[] = [];
    const work = async (catalog: Catalog, worker: number): Promise<void> => {
      while (done.length < runs * jobsPerRun) {
        for (const job of await catalog.jobs.claim({
          kinds: ['encode'],
          workerId: `w${worker}`,
          leaseMs,
          limit: 1 + (worker % 4),
        })) {
          expect(running.has(job.orderKey!)).toBe(false);
          running.add(job.orderKey!);
          // A typical handler: a heartbeat, then the end of the job in a transaction.
          await catalog.jobs.heartbeat(claimOf(job), leaseMs);
          running.delete(job.orderKey!);
          done.push(job);
          await catalog.transaction((tx) => tx.jobs.complete(claimOf(job)));
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, worker) => work(catalogs[worker % 2]!, worker)));
    expect(new Set(done.map(({ id }) => id)).size).toBe(runs * jobsPerRun);
    for (let run = 0; run < runs; run++) {
      const order = done.filter(({ orderKey }) => orderKey === `run-${run}`).map(({ orderSequence }) => orderSequence);
      expect(order).toEqual(Array.from({ length: jobsPerRun }, (_, sequence) => sequence));
    }
  }, 240_000);

  test('sequence numbers are given once and without a gap, a step to one reservation', async () => {
    const run = await makeRun(catalogs[0]);
    const reserved = won(
      await race(40, (catalog, index) => catalog.checkpoints.reserve({ runId: run.id, step: index })),
    );
    expect(reserved.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 40 }, (_, sequence) => sequence),
    );
    const results = await race(10, (catalog) => catalog.checkpoints.reserve({ runId: run.id, step: 1000 }));
    expect(won(results)).toHaveLength(1);
    expect(new Set(codes(results))).toEqual(new Set(['step-exists']));
    // A refused reservation does not use up a number.
    expect(
      won(await race(1, (catalog) => catalog.checkpoints.reserve({ runId: run.id, step: 1001 })))[0]!.sequence,
    ).toBe(41);
  });

  test('a reservation and the deletion of its run: one of them, never a live checkpoint in a hidden run', async () => {
    for (let round = 0; round < 10; round++) {
      const run = await makeRun(catalogs[0]);
      const [reserved, hidden] = await race<unknown>(2, (catalog, index) =>
        index === 0 ? catalog.checkpoints.reserve({ runId: run.id, step: 1 }) : catalog.runs.hide(run.id),
      );
      expect([reserved!.status, hidden!.status].sort()).toEqual(['fulfilled', 'rejected']);
      expect((await catalogs[1].runs.get(run.id))?.deletedAt !== undefined).toBe(hidden!.status === 'fulfilled');
    }
  });

  test('a fork and the removal of what it forks from: the fork has its parent, or is refused', async () => {
    for (let round = 0; round < 10; round++) {
      const run = await makeRun(catalogs[0]);
      const { checkpoint } = await makeReady(catalogs[0], run, 1);
      await catalogs[0].checkpoints.hide(checkpoint.id);
      const [forked, purged] = await race<unknown>(2, (catalog, index) =>
        index === 0
          ? makeRun(catalog, { repositoryId: run.repositoryId, parentCheckpointId: checkpoint.id })
          : catalog.checkpoints.purge(checkpoint.id),
      );
      expect([forked!.status, purged!.status].sort()).toEqual(['fulfilled', 'rejected']);
      expect(codes([forked!, purged!])).toEqual(['conflict']);
      expect((await catalogs[1].checkpoints.get(checkpoint.id)) !== undefined).toBe(forked!.status === 'fulfilled');
    }
  });

  test('a delta and the removal of its ancestor: the chain is whole, or the delta is refused', async () => {
    for (let round = 0; round < 10; round++) {
      const run = await makeRun(catalogs[0]);
      const base = await makeReady(catalogs[0], run, 1);
      await catalogs[0].checkpoints.hide(base.checkpoint.id);
      const [delta] = await race<unknown>(2, (catalog, index) =>
        index === 0 ? makeReady(catalog, run, 2, base.package) : catalog.checkpoints.purge(base.checkpoint.id),
      );
      if (delta!.status === 'rejected') continue;
      const { package: stored } = (delta as PromiseFulfilledResult<Awaited<ReturnType<typeof makeReady>>>).value;
      expect(await catalogs[1].packages.chain(stored.id)).toHaveLength(2);
    }
  });

  test('an eval set is deleted or used, not both', async () => {
    for (let round = 0; round < 10; round++) {
      const repository = await makeRepository(catalogs[0]);
      const set = await catalogs[0].evalSets.create({
        repositoryId: repository.id,
        name: freshName(),
        spec: { inputs: {}, metrics: [] } as never,
      });
      const results = await race<unknown>(2, (catalog, index) =>
        index === 0
          ? makeRun(catalog, { repositoryId: repository.id, evalSetId: set.id })
          : catalog.evalSets.delete(set.id),
      );
      expect(won(results)).toHaveLength(1);
      expect(codes(results)).toEqual(['conflict']);
    }
  });

  test('a checkpoint is tried again once, however many ask', async () => {
    const run = await makeRun(catalogs[0]);
    const { id } = await catalogs[0].checkpoints.reserve({ runId: run.id, step: 1 });
    await catalogs[0].checkpoints.transition(id, ['open'], 'failed');
    const results = await race(8, (catalog) =>
      catalog.transaction(async (tx) => {
        await tx.checkpoints.retry(id, { thresholds: {} });
        await tx.jobs.restart({ kind: 'encode', subjectId: id, orderKey: run.id, orderSequence: 0 });
      }),
    );
    expect(won(results)).toHaveLength(1);
    expect(new Set(codes(results))).toEqual(new Set(['conflict']));
    expect(await catalogs[1].jobs.find('encode', id)).toMatchObject({ state: 'queued' });
    await catalogs[1].jobs.requestCancel('encode', id);
  });

  test('of many changes made from one reading of a record, one is done', async () => {
    const [mine] = catalogs;
    const repository = await makeRepository(mine);
    const run = await makeRun(mine);
    const token = { id: freshName(), name: 'first', secretSha256: 'a'.repeat(64), grants: [] };
    await mine.tokens.create(token);
    const set = await mine.evalSets.create({
      repositoryId: repository.id,
      name: 'held-out',
      spec: { inputs: {}, metrics: [] } as never,
    });
    const refuse = (): never => {
      throw new FirnError('precondition-failed', 'It has changed since.');
    };
    const changes: Record<string, (tx: Catalog, index: number) => Promise<unknown>> = {
      repository: async (tx) => {
        if ((await tx.repositories.lock(repository.id)).visibility === 'public') refuse();
        return tx.repositories.setVisibility(repository.id, 'public');
      },
      run: async (tx) => {
        await tx.runs.lock(run.id);
        if ((await tx.runs.get(run.id))!.closedAt !== undefined) refuse();
        return tx.runs.setClosed(run.id, true);
      },
      token: async (tx) => {
        if ((await tx.tokens.lock(token.id)).revokedAt !== undefined) refuse();
        return tx.tokens.revoke(token.id);
      },
      'eval set': async (tx, index) => {
        if ((await tx.evalSets.lock(set.id)).graphKey !== undefined) refuse();
        return tx.evalSets.setPart(set.id, 'graph', { key: `k${index}`, sha256: 's', sizeBytes: 1, storedBytes: 1 });
      },
      'quota that is not there yet': async (tx, index) => {
        if ((await tx.usage.lockQuota('acme')) !== undefined) refuse();
        return tx.usage.setQuota('acme', { storedBytesMax: index });
      },
    };
    for (const [what, change] of Object.entries(changes)) {
      const results = await race(16, (catalog, index) => catalog.transaction((tx) => change(tx, index)));
      expect(won(results), what).toHaveLength(1);
      expect(new Set(codes(results)), what).toEqual(new Set(['precondition-failed']));
    }
  });

  test('who has lost a claim writes nothing of what it found', async () => {
    const [mine, other] = catalogs;
    const run = await makeRun(mine);
    const { id } = await mine.checkpoints.reserve({ runId: run.id, step: 1 });
    await mine.checkpoints.transition(id, ['open'], 'queued');
    await mine.jobs.enqueue({ kind: 'encode', subjectId: id });
    const [stale] = await mine.jobs.claim({ kinds: ['encode'], workerId: 'stuck', leaseMs: -1_000, limit: 1 });
    const fenced = fencedCatalog(mine, claimOf(stale!));
    await fenced.runs.setBinding(run.id, 'set', { a: { tensor: 'held', transpose: false } });
    await other.jobs.reap();
    const trial = {
      checkpointId: id,
      configKey: 'k',
      config: {} as never,
      ordinal: 0,
      search: 1,
      estimatedBytes: 1,
      device: 'cpu' as const,
      metrics: {},
      degradation: {},
      passed: true,
      seconds: 1,
    };
    await expectCode(fenced.checkpoints.transition(id, ['queued'], 'working'), 'conflict');
    await expectCode(fenced.trials.record(trial), 'conflict');
    await expectCode(fenced.runs.setBinding(run.id, 'set', { a: { tensor: 'lost', transpose: false } }), 'conflict');
    expect(await other.trials.list(id)).toEqual([]);
    expect(await other.checkpoints.get(id)).toMatchObject({ state: 'queued' });
    expect((await other.runs.get(run.id))?.binding).toEqual({ a: { tensor: 'held', transpose: false } });
    const [taken] = await other.jobs.claim({ kinds: ['encode'], workerId: 'next', leaseMs, limit: 1 });
    const next = fencedCatalog(other, claimOf(taken!));
    await next.trials.record(trial);
    await next.checkpoints.transition(id, ['queued'], 'working');
    expect(await mine.trials.list(id)).toHaveLength(1);
  });
});
