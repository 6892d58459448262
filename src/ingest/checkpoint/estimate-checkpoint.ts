import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Estimate } from '../../catalog/contract/estimate-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { estimableRows } from '../../checkpoint/estimable-rows.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { methodConfigOf } from '../../checkpoint/options/quantization-config.ts';
import { runOfCheckpoint } from '../../compress/run-of-checkpoint.ts';
import type { QualityThresholds } from '../../checkpoint/quality/quality.ts';
import { wishOfJobs } from '../../checkpoint/options/device-wish.ts';
import { estimateJobKind, type IngestContext } from '../ingest-context.ts';
import { settleThresholds } from '../run/settle-thresholds.ts';

/** Most estimates that wait in the whole hub: each takes as long as a checkpoint. */
const waitingMax = 32;

export interface EstimateWish {
  readonly thresholds: QualityThresholds;
  /** Must be true if a threshold is above `plainThresholdMax`. */
  readonly allowLarge?: boolean | undefined;
}

/**
 * Queues a job that finds out what a ready checkpoint would take at other thresholds, without storing it; its result
 * replaces an earlier one. Errors: `checkpoint-not-ready`, `conflict` (nothing is searched for it, its upload is gone,
 * or an estimate of it is under way), `overloaded` (too many wait), `invalid-request`, `metric-unknown`.
 */
export async function estimateCheckpoint(
  { catalog, tracer }: Pick<IngestContext, 'catalog' | 'tracer'>,
  run: Run,
  checkpoint: Checkpoint,
  { thresholds: given, allowLarge }: EstimateWish,
): Promise<Estimate> {
  if (checkpoint.state !== 'ready')
    throw new FirnError(
      'checkpoint-not-ready',
      `The checkpoint is ${checkpoint.state}; only a ready one is estimated.`,
    );
  const { evalSetId } = runOfCheckpoint(run, checkpoint);
  const evalSet = evalSetId === undefined ? undefined : await catalog.evalSets.get(evalSetId);
  const hindrance = whyNoEstimate(run, checkpoint, evalSet !== undefined);
  if (hindrance !== undefined) throw new FirnError('conflict', hindrance);
  const thresholds = settleThresholds({ given, inherited: undefined, allowLarge, evalSet });
  const { missing } = estimableRows(await catalog.files.list(checkpoint.id));
  if (missing !== undefined) throw new FirnError('conflict', missing);
  const waiting = (await catalog.jobs.count()).find(
    ({ kind, state }) => kind === estimateJobKind && state === 'queued',
  );
  if ((waiting?.count ?? 0) >= waitingMax)
    throw new FirnError('overloaded', `${waitingMax} estimates wait already; ask again when some are done.`);
  const traceparent = tracer.current();
  return catalog.transaction(async (tx) => {
    const before = await tx.estimates.get(checkpoint.id);
    if (before?.state === 'queued' || before?.state === 'working')
      throw new FirnError('conflict', 'An estimate of the checkpoint is under way: wait for it, or cancel it.');
    await tx.jobs.enqueue({
      kind: estimateJobKind,
      subjectId: checkpoint.id,
      device: wishOfJobs({ ...run, evalSetId: checkpoint.evalSetId ?? run.evalSetId }),
      ...(traceparent !== undefined && { traceparent }),
    });
    return tx.estimates.begin(checkpoint.id, thresholds);
  });
}

/** Stops the estimate of a checkpoint; one that has ended stays. `not-found` if there is none. */
export async function cancelEstimate(catalog: Catalog, { id }: Pick<Checkpoint, 'id'>): Promise<Estimate> {
  return catalog.transaction(async (tx) => {
    const job = await tx.jobs.requestCancel(estimateJobKind, id);
    if (job === 'cancelled') await tx.estimates.move(id, 'cancelled', { finishedAt: await tx.now() });
    const estimate = await tx.estimates.get(id);
    if (estimate === undefined) throw new FirnError('not-found', 'There is no estimate of the checkpoint.');
    return estimate;
  });
}

/** A sentence if thresholds do not decide how the checkpoint is stored. */
function whyNoEstimate(run: Run, checkpoint: Checkpoint, isMeasured: boolean): string | undefined {
  if (run.fidelity === 'exact') return 'The run is exact: its checkpoints are stored as they are at any threshold.';
  if ((checkpoint.fixedConfig ?? run.search.fixedConfig) !== undefined)
    return 'The config of the checkpoint was given, so no threshold decides it.';
  if (methodConfigOf(run.search.method).unsearched !== undefined)
    return `The method ${run.search.method} gives weights back as they are at any threshold.`;
  return isMeasured
    ? undefined
    : 'The checkpoint was measured with no eval set. Give the run one (PATCH), and push a step.';
}
