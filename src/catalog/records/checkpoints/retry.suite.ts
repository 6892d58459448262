import { expect, test } from 'vitest';
import type { Catalog } from '../../contract/catalog.ts';
import type { Checkpoint } from '../../contract/checkpoint-records.ts';
import type { Run } from '../../contract/run-records.ts';
import {
  expectCode,
  freshName,
  makeCheckpoint,
  makeEvalSet,
  makeReady,
  makeRun,
} from '../../catalog-fixtures.test-support.ts';
import { checkpointStates } from '../../contract/checkpoint-records.ts';
import { claimOf } from '../../jobs/jobs.suite.ts';

const leaseMs = 60_000;

/** The eval set and thresholds of a checkpoint, and retries. */
export function retrySuite(open: () => Catalog): void {
  const runWithSet = async () => {
    const set = await makeEvalSet(open());
    return { set, run: await makeRun(open(), { repositoryId: set.repositoryId, evalSetId: set.id }) };
  };
  const commit = (checkpoint: Checkpoint, evalSetId: string) =>
    open().checkpoints.transition(checkpoint.id, ['open'], 'queued', { evalSetId, thresholds: { loss: 0.01 } });
  const failed = async (run: Run, evalSetId: string, step = 0): Promise<Checkpoint> => {
    const { id } = await commit(await makeCheckpoint(open(), run, step), evalSetId);
    return open().checkpoints.transition(id, ['queued'], 'failed', {
      errorCode: 'graph-missing-weights',
      errorMessage: 'no',
    });
  };

  test('a failed checkpoint goes back to the queue with the given eval set and thresholds', async () => {
    const { run, set } = await runWithSet();
    const other = await makeEvalSet(open(), { id: set.repositoryId } as never);
    const before = await failed(run, set.id);
    const trial = {
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
    await open().trials.record({ ...trial, checkpointId: before.id, configKey: 'k' });
    const queued = await open().checkpoints.retry(before.id, { evalSetId: other.id, thresholds: { loss: 0.2 } });
    const { errorCode: _code, errorMessage: _message, finishedAt: _finished, ...rest } = before;
    expect(queued).toEqual({ ...rest, state: 'queued', evalSetId: other.id, thresholds: { loss: 0.2 } });
    expect(await open().checkpoints.get(before.id)).toEqual(queued);
    expect(await open().trials.list(before.id)).toEqual([]);
    expect(await open().checkpoints.anyMeasuredWith(run.id, set.id)).toBe(false);
    expect(await open().checkpoints.anyMeasuredWith(run.id, other.id)).toBe(true);
  });

  test.each(checkpointStates.filter((state) => state !== 'failed'))(
    'a checkpoint that is %s is not put back, and is told so',
    async (state) => {
      const run = await makeRun(open());
      const { id } =
        state === 'ready' ? (await makeReady(open(), run, 1)).checkpoint : await makeCheckpoint(open(), run, 1);
      const way: Partial<Record<typeof state, readonly (typeof state)[]>> = {
        queued: ['queued'],
        working: ['queued', 'working'],
        cancelled: ['cancelled'],
      };
      for (const next of way[state] ?? []) await open().checkpoints.transition(id, checkpointStates, next);
      expect((await expectCode(open().checkpoints.retry(id, { thresholds: {} }), 'conflict')).message).toContain(
        ` ${state};`,
      );
      expect((await open().checkpoints.get(id))!.state).toBe(state);
    },
  );

  test('a hidden or absent checkpoint is not put back', async () => {
    const { run, set } = await runWithSet();
    const { id } = await failed(run, set.id);
    await open().checkpoints.hide(id);
    for (const gone of [id, 'none']) await expectCode(open().checkpoints.retry(gone, { thresholds: {} }), 'not-found');
  });

  test('a newer ready checkpoint counts unless it is deleted', async () => {
    const run = await makeRun(open());
    const { checkpoint } = await makeReady(open(), run, 1);
    await makeCheckpoint(open(), run, 2);
    expect(await open().checkpoints.hasNewerReady(run.id, checkpoint.sequence)).toBe(false);
    expect(await open().checkpoints.hasNewerReady(run.id, checkpoint.sequence - 1)).toBe(true);
    await open().checkpoints.hide(checkpoint.id);
    expect(await open().checkpoints.hasNewerReady(run.id, checkpoint.sequence - 1)).toBe(false);
  });

  test('an eval set cannot be deleted while a checkpoint is to be measured with it, and says which', async () => {
    const { run, set } = await runWithSet();
    const other = await makeEvalSet(open(), { id: set.repositoryId } as never);
    expect((await expectCode(open().evalSets.delete(set.id), 'conflict')).message).toContain(`run "${run.name}"`);
    const queued = await commit(await makeCheckpoint(open(), run, 7), set.id);
    await open().runs.setEvaluation(run.id, { evalSetId: other.id, thresholds: { loss: 0.1 } });
    expect((await expectCode(open().evalSets.delete(set.id), 'conflict')).message).toMatch(/step 7 .* queued/);
    await open().checkpoints.transition(queued.id, ['queued'], 'failed');
    expect((await expectCode(open().evalSets.delete(set.id), 'conflict')).message).toMatch(/step 7 .* failed/);
    await open().checkpoints.hide(queued.id);
    await open().evalSets.delete(set.id);
    // The failed checkpoint forgets the eval set and does not block its deletion.
    expect((await open().checkpoints.get(queued.id))!.evalSetId).toBeUndefined();
    await open().checkpoints.purge(queued.id);
  });

  test('a ready checkpoint keeps no eval set from being deleted, nor does a hidden run', async () => {
    const { run, set } = await runWithSet();
    const { checkpoint } = await makeReady(open(), run, 1);
    const early = await commit(await makeCheckpoint(open(), run, 2), set.id);
    await open().checkpoints.transition(early.id, ['queued'], 'working');
    await open().checkpoints.transition(early.id, ['working'], 'ready');
    await failed(run, set.id, 3);
    await open().runs.hide(run.id);
    await open().evalSets.delete(set.id);
    expect((await open().checkpoints.get(early.id))!.evalSetId).toBeUndefined();
    expect((await open().checkpoints.get(checkpoint.id))!.state).toBe('ready');
  });

  test('a run takes another evaluation, and a binding that is of another eval set never replaces its own', async () => {
    const { run, set } = await runWithSet();
    const other = await makeEvalSet(open(), { id: set.repositoryId } as never);
    const [own, foreign] = [{ a: { tensor: 'own', transpose: false } }, { a: { tensor: 'foreign', transpose: false } }];
    await open().runs.setBinding(run.id, other.id, foreign);
    expect(await open().runs.get(run.id)).toMatchObject({ binding: foreign, bindingEvalSetId: other.id });
    await open().runs.setBinding(run.id, set.id, own);
    await open().runs.setBinding(run.id, other.id, foreign);
    expect(await open().runs.get(run.id)).toMatchObject({ binding: own, bindingEvalSetId: set.id });
    const changed = await open().runs.setEvaluation(run.id, { evalSetId: other.id, thresholds: { loss: 0.3 } });
    expect(changed).toMatchObject({
      evalSetId: other.id,
      thresholds: { loss: 0.3 },
      binding: own,
      bindingEvalSetId: set.id,
    });
    await open().runs.setBinding(run.id, other.id, foreign);
    expect(await open().runs.get(run.id)).toMatchObject({ binding: foreign, bindingEvalSetId: other.id });
    await open().runs.hide(run.id);
    await expectCode(open().runs.setEvaluation(run.id, { thresholds: {} }), 'not-found');
  });

  test('a job that ended starts over at its place in the order', async () => {
    const [kind, orderKey] = [freshName(), freshName()];
    const claim = () => open().jobs.claim({ kinds: [kind], workerId: 'w', leaseMs, limit: 10 });
    for (const orderSequence of [1, 2, 3])
      await open().jobs.enqueue({ kind, subjectId: `${orderKey}/${orderSequence}`, orderKey, orderSequence });
    const [first] = await claim();
    await open().jobs.fail(claimOf(first!), 'no', 'never');
    const [second] = await claim();
    const restart = () => open().jobs.restart({ kind, subjectId: `${orderKey}/1`, orderKey, orderSequence: 1 });
    expect(await restart()).toMatchObject({ id: first!.id, state: 'queued', attempts: 0, orderKey, orderSequence: 1 });
    await expectCode(restart(), 'conflict');
    expect(await claim()).toEqual([]);
    await open().jobs.complete(claimOf(second!));
    const [again] = await claim();
    expect(again).toMatchObject({ id: first!.id, fence: first!.fence + 1 });
    expect(again!.lastError).toBeUndefined();
    await expectCode(restart(), 'conflict');
    await open().jobs.complete(claimOf(again!));
    expect((await claim()).map(({ orderSequence }) => orderSequence)).toEqual([3]);
  });

  test('a job whose record was pruned starts over with a fence that was never used', async () => {
    const [kind, orderKey] = [freshName(), freshName()];
    const job = await open().jobs.restart({ kind, subjectId: 'long gone', orderKey, orderSequence: 4 });
    // More claims than a job can have had, and far from the column's end.
    expect(job.fence).toBeGreaterThan(10_000_000);
    expect(job.fence).toBeLessThan(2 ** 31 - 1);
    expect(await open().jobs.claim({ kinds: [kind], workerId: 'w', leaseMs, limit: 1 })).toMatchObject([
      { subjectId: 'long gone', orderSequence: 4 },
    ]);
  });

  test('metrics of the training job stay with the checkpoint', async () => {
    const run = await makeRun(open());
    const { id } = await open().checkpoints.reserve({ runId: run.id, step: 1, expects: { loss: 1.8604, right: 0 } });
    expect((await open().checkpoints.get(id))!.expects).toEqual({ loss: 1.8604, right: 0 });
  });
}
