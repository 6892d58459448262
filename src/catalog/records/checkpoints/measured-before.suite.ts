import { expect, test } from 'vitest';
import type { Catalog } from '../../contract/catalog.ts';
import type { CheckpointResult } from '../../contract/checkpoint-records.ts';
import type { Run } from '../../contract/run-records.ts';
import { makeCheckpoint, makeEvalSet, makeRun } from '../../catalog-fixtures.test-support.ts';

const result: CheckpointResult = {
  fidelity: 'lossy',
  warnings: [],
  kind: 'base',
  chainLength: 1,
  rawBytes: 1,
  storedBytes: 1,
  trialCount: 0,
  seconds: {},
};

/** The measured uploads before a checkpoint. */
export function measuredBeforeSuite(open: () => Catalog): void {
  /** A ready checkpoint whose upload has that loss; `evalSetId` is its own, fixed at its commit. */
  async function ready(run: Run, step: number, loss?: number, evalSetId?: string): Promise<string> {
    const { checkpoints } = open();
    const { id } = await makeCheckpoint(open(), run, step);
    const fixed = evalSetId === undefined ? {} : { evalSetId, thresholds: { loss: 0.01 } };
    await checkpoints.transition(id, ['open'], 'queued', fixed);
    await checkpoints.transition(id, ['queued'], 'working');
    const baseline = loss === undefined ? {} : { baseline: { loss } };
    await checkpoints.transition(id, ['working'], 'ready', { result: { ...result, ...baseline } });
    return id;
  }

  test('uploads of a run that were measured on a set come newest first, with values that are not finite', async () => {
    const set = await makeEvalSet(open());
    const other = await makeEvalSet(open(), { id: set.repositoryId } as never);
    const run = await makeRun(open(), { repositoryId: set.repositoryId, evalSetId: set.id });
    await ready(run, 30, 5, set.id);
    await ready(run, 10, Number.NaN);
    await ready(run, 40, 3, other.id);
    await ready(run, 50);
    await open().checkpoints.hide(await ready(run, 60, 2, set.id));
    const failed = await makeCheckpoint(open(), run, 70);
    await open().checkpoints.transition(failed.id, ['open'], 'failed');
    await ready(run, 80, 1, set.id);
    const last = await makeCheckpoint(open(), run, 90);
    const before = (sequence: number, limit = 10, evalSetId = set.id) =>
      open().checkpoints.measuredBefore(run.id, sequence, { evalSetId, limit });
    expect(await before(last.sequence)).toEqual([
      { step: 80, baseline: { loss: 1 } },
      { step: 10, baseline: { loss: Number.NaN } },
      { step: 30, baseline: { loss: 5 } },
    ]);
    expect(await before(last.sequence, 1)).toEqual([{ step: 80, baseline: { loss: 1 } }]);
    expect((await before(last.sequence - 1)).map(({ step }) => step)).toEqual([10, 30]);
    expect(await before(last.sequence, 10, other.id)).toEqual([{ step: 40, baseline: { loss: 3 } }]);
    expect(await before(0)).toEqual([]);
  });
}
