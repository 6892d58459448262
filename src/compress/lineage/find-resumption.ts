import { givenConfig, methodOf, pace, type EncodeAttempt } from '../encode-attempt.ts';
import type { AncestorCandidate } from '../ancestor/find-ancestor.ts';
import { measureDrift } from '../method/residual/measure-drift.ts';
import { withAncestor } from '../ancestor/open-ancestor.ts';
import { isQuantized } from '../plan/plan-codings.ts';
import type { PreparedModel } from '../prepare-model.ts';
import { resumptionBefore, resumptionHere, type Resumption } from '../ancestor/resumed-training.ts';

/**
 * Whether training went on from what the hub rebuilds of the checkpoint before. Undefined where it makes no difference: with a given config, and for other methods than the residual one, which
 * round every weight anew. Reads blocks of both; rejects with the errors of catalog and store.
 */
export async function findResumption(
  attempt: EncodeAttempt,
  { plan, quality }: PreparedModel,
  candidates: readonly AncestorCandidate[],
): Promise<Resumption | undefined> {
  if (methodOf(attempt) !== 'residual' || givenConfig(attempt) !== undefined || quality === undefined || !isQuantized(plan)) return undefined;
  const before = resumptionBefore(quality.bound.thresholds, candidates);
  const [nearest] = candidates;
  const roundingError = nearest?.checkpoint.result?.roundingError;
  if (nearest === undefined || roundingError === undefined) return before;
  const { source, ctx, moves } = attempt;
  const drift = await withAncestor(attempt, [nearest], plan, async (opened) => {
    if (opened === undefined) return undefined;
    return measureDrift({ source, core: ctx.core, plan, ancestor: opened.ancestor, shelf: moves.take(), ...pace(attempt) });
  });
  return resumptionHere(before, drift, roundingError);
}
