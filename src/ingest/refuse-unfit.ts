import type { Run } from '../catalog/contract/run-records.ts';
import { FirnError, type FirnErrorCode } from '../checkpoint/firn-error.ts';
import type { AskedFit } from '../compress/eval-set/fits-eval-set.ts';
import { throwIfAborted } from '../store/until-aborted.ts';
import type { IngestContext } from './ingest-context.ts';

/**
 * What is wrong with an eval set for a layout, or with the layout for it. Anything else (a busy pool, a storage that is
 * away, a damaged object) is of the moment.
 */
export const unfitCodes: readonly FirnErrorCode[] = [
  'graph-invalid',
  'graph-external-data',
  'graph-missing-weights',
  'eval-input-mismatch',
  'eval-label-mismatch',
  'metric-unknown',
];

/**
 * Rejects with one of `unfitCodes` where an eval set can measure no model of the layout, and with the reason of its
 * signal. Where that cannot be told now it resolves: the encode job will tell. Not inside a transaction.
 */
export async function refuseUnfit({ fitsEvalSet }: Pick<IngestContext, 'fitsEvalSet'>, asked: AskedFit): Promise<void> {
  try {
    await fitsEvalSet?.(asked);
  } catch (err) {
    if (err instanceof FirnError && unfitCodes.includes(err.code)) throw err;
    throwIfAborted(asked.signal);
  }
}

/**
 * As {@link refuseUnfit}, for the first checkpoint that a run measures with its eval set: later ones have its layout.
 */
export async function refuseUnfitFirst(
  ctx: IngestContext,
  { id: runId }: Pick<Run, 'id'>,
  asked: Pick<AskedFit, 'layout' | 'signal'>,
): Promise<void> {
  const { catalog, fitsEvalSet } = ctx;
  if (fitsEvalSet === undefined) return;
  // As it is now: it may have been given another eval set since the request began.
  const run = await catalog.runs.get(runId);
  if (
    run?.fidelity !== 'lossy' ||
    run.evalSetId === undefined ||
    (await catalog.checkpoints.anyMeasuredWith(runId, run.evalSetId))
  )
    return;
  const evalSet = await catalog.evalSets.get(run.evalSetId);
  if (evalSet !== undefined) await refuseUnfit(ctx, { ...asked, evalSet });
}
