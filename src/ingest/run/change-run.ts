import type { Precondition } from '../../catalog/contract/precondition.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { wishOfJobs, type DeviceWish } from '../../checkpoint/options/device-wish.ts';
import type { FinalQuality } from '../../checkpoint/quality/final-quality.ts';
import { closeRun } from './close-run.ts';
import { evalSetAfter, evaluationAfter, type EvaluationChange } from './evaluation-of-run.ts';
import type { IngestContext } from '../ingest-context.ts';
import { refuseUnfit } from '../refuse-unfit.ts';

export interface RunChange extends EvaluationChange {
  /** Closes the run, with what its last checkpoint is to have, or opens it again. */
  readonly final?: boolean | FinalQuality | undefined;
  /** What its checkpoints wish for, those that wait too. */
  readonly device?: DeviceWish | undefined;
}

export interface ChangeOptions {
  readonly precondition?: Precondition | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Gives a run another eval set, other thresholds, or both, for checkpoints committed from now on; committed ones keep
 * theirs. Thresholds that are not given stay if the eval set has all their metrics, else they become the default on its
 * first one. `final` closes it, or opens it again. `device` also holds for checkpoints that wait. Errors: `not-found`,
 * `eval-set-not-ready`, `metric-unknown`, `invalid-request`, `conflict` (the run is exact), those of `refuseUnfit` if
 * the layout of the run's checkpoints is known, those of `closeRun`, and of the precondition.
 */
export async function changeRun(
  ctx: Pick<IngestContext, 'catalog' | 'fitsEvalSet' | 'afterClose'>,
  run: Run,
  change: RunChange,
  { precondition, signal }: ChangeOptions = {},
): Promise<Run> {
  const { catalog } = ctx;
  const evalSet = await evalSetAfter(catalog, run, change);
  const layout = change.evalSet === undefined ? undefined : await catalog.runs.layoutOf(run.id);
  if (evalSet !== undefined && layout !== undefined) await refuseUnfit(ctx, { evalSet, layout, signal });
  return catalog.transaction(async (tx) => {
    // The lock puts each commit of the run before or after the change.
    await tx.runs.lock(run.id);
    await precondition?.(tx);
    const { evalSet: set, thresholds, final, device } = change;
    const now = device === undefined ? (await tx.runs.get(run.id))! : await tx.runs.setDevice(run.id, device);
    const evaluated =
      set === undefined && thresholds === undefined
        ? now
        : await tx.runs.setEvaluation(run.id, await evaluationAfter(tx, now, change));
    if (device !== undefined || set !== undefined) await tx.jobs.setDevice(run.id, wishOfJobs(evaluated));
    if (final === undefined) return evaluated;
    if (final === false) return tx.runs.setClosed(run.id, false);
    await closeRun(tx, evaluated, final === true ? {} : final, ctx.afterClose);
    return (await tx.runs.get(run.id))!;
  });
}
