import type { QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import type { DegradationLimits } from '../../checkpoint/quality/quality.ts';
import type { AncestorCandidate } from '../ancestor/find-ancestor.ts';
import type { Ancestors } from '../ancestor/open-ancestor.ts';
import { resumptionBefore, resumptionHere, type Resumption } from '../ancestor/resumed-training.ts';
import type { MethodSession } from '../method/method.ts';
import { isQuantized, type CodingPlan } from '../plan/plan-codings.ts';

export interface ResumptionSearch {
  readonly session: MethodSession;
  readonly ancestors: Ancestors;
  /** The config that came with the checkpoint or its run. */
  readonly given: QuantizationConfig | undefined;
}

export interface MeasuredModel {
  readonly plan: CodingPlan;
  readonly quality?: { readonly bound: { readonly thresholds: DegradationLimits } };
}

/**
 * Whether training was resumed from the rebuilt previous checkpoint. Undefined if this makes no difference: with a
 * given config, and for methods that round every weight anew. Reads blocks of both; rejects with the errors of catalog
 * and store.
 */
export async function findResumption(
  { session, ancestors, given }: ResumptionSearch,
  { plan, quality }: MeasuredModel,
  candidates: readonly AncestorCandidate[],
): Promise<Resumption | undefined> {
  if (session.drift === undefined || given !== undefined || quality === undefined || !isQuantized(plan))
    return undefined;
  const before = resumptionBefore(quality.bound.thresholds, candidates);
  const [nearest] = candidates;
  const roundingError = nearest?.checkpoint.result?.roundingError;
  if (nearest === undefined || roundingError === undefined) return before;
  const drift = await ancestors.withBest([nearest], plan, async (opened) =>
    opened === undefined ? undefined : session.drift?.(plan, opened.ancestor),
  );
  return resumptionHere(before, drift, roundingError);
}
