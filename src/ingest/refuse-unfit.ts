import type { Run } from '../catalog/contract/run-records.ts';
import { FirnError, type FirnErrorCode } from '../checkpoint/firn-error.ts';
import type { AskedFit } from '../compress/eval-set/fits-eval-set.ts';
import { throwIfAborted } from '../store/until-aborted.ts';
import type { IngestContext } from './ingest-context.ts';

/**
 * Codes that say that eval set and layout do not fit each other. Any other failure (a busy pool, an unreachable
 * storage, a damaged object) is temporary or unrelated.
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
 * Rejects with one of `unfitCodes` if the eval set can measure no model of the layout, and with the reason of its
 * signal. If that cannot be decided now, it resolves: the encode job will decide. Not inside a transaction.
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
 * Like {@link refuseUnfit}, for the first checkpoint that a run measures with its eval set; later ones have the same
 * layout.
 */
export async function refuseUnfitFirst(
  ctx: IngestContext,
  { id: runId }: Pick<Run, 'id'>,
  asked: Pick<AskedFit, 'layout' | 'signal'>,
): Promise<void> {
  const { catalog, fitsEvalSet } = ctx;
  if (fitsEvalSet === undefined) return;
  // Read again: the run may have got another eval set since the request began.
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
