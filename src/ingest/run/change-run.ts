import type { Run } from '../../catalog/contract/run-records.ts';
import { evalSetAfter, evaluationAfter, type EvaluationChange } from './evaluation-of-run.ts';
import type { IngestContext } from '../ingest-context.ts';
import { refuseUnfit } from '../refuse-unfit.ts';

/**
 * Gives a run another eval set, other thresholds, or both, for checkpoints committed from now on; committed ones keep
 * theirs. Thresholds that are not given stay if the eval set has all their metrics, else they become the default on its
 * first one. Errors: `not-found`, `eval-set-not-ready`, `metric-unknown`, `invalid-request`, `conflict` (the run is
 * exact), and those of `refuseUnfit` if the layout of the run's checkpoints is known.
 */
export async function changeRun(
  ctx: Pick<IngestContext, 'catalog' | 'fitsEvalSet'>,
  run: Run,
  change: EvaluationChange,
  signal?: AbortSignal,
): Promise<Run> {
  const { catalog } = ctx;
  const evalSet = await evalSetAfter(catalog, run, change);
  const layout = change.evalSet === undefined ? undefined : await catalog.runs.layoutOf(run.id);
  if (evalSet !== undefined && layout !== undefined) await refuseUnfit(ctx, { evalSet, layout, signal });
  return catalog.transaction(async (tx) => {
    // The lock puts each commit of the run before or after the change.
    await tx.runs.lock(run.id);
    return tx.runs.setEvaluation(run.id, await evaluationAfter(tx, (await tx.runs.get(run.id))!, change));
  });
}
