import type { QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import { lastConfig } from '../ancestor/last-config.ts';
import type { AncestorCandidate } from '../ancestor/find-ancestor.ts';
import type { OpenedAncestor } from '../ancestor/open-ancestor.ts';
import type { QuantizationBasis } from '../method/method.ts';
import { isQuantized } from '../plan/plan-codings.ts';
import { plannedAncestors, storageCost, type AncestorPlanning, type SearchedDelta } from './plan-ancestor.ts';

export interface Reconsideration {
  readonly planning: AncestorPlanning;
  readonly basis: Omit<QuantizationBasis, 'ancestor'>;
  /** `quantized` is absent if no config passed. */
  readonly search: (
    opened: OpenedAncestor | undefined,
  ) => Promise<{ readonly quantized?: { readonly config: QuantizationConfig } }>;
}

/**
 * Runs a search with the first of the ancestors, and returns the ancestors to try. The given order comes from estimates
 * at the last checkpoint's step. If the search needs a finer step, the ancestors are compared again at that step,
 * because a finer step makes a delta much larger, but a base only a little. If another ancestor wins, a search with it
 * decides by the actual bytes. So it does for the first lossy checkpoint behind exact ones, which nothing was estimated
 * for. Empty if no step passes: a base rounds every weight anew. Outcomes are cached, so the
 * search for the final ancestor is not repeated. Rejects with the errors of `plannedAncestors` and `search`.
 */
export async function reconsiderAncestor(
  work: Reconsideration,
  ancestors: readonly AncestorCandidate[],
): Promise<readonly AncestorCandidate[]> {
  const { planning, basis } = work;
  const { ancestry } = planning.method;
  if (
    ancestors.length === 0 ||
    ancestry.kind !== 'budgeted' ||
    !isQuantized(basis.model.plan) ||
    planning.given !== undefined
  )
    return ancestors;
  const first = await searchBehind(work, ancestors);
  if (first === undefined) return [];
  const last = lastConfig(basis.candidates);
  if (first.candidate !== undefined && last === undefined) return orAlone(work, ancestors, first);
  if (first.candidate === undefined || !ancestry.isFiner(first.config, last)) return ancestors;
  const others = await plannedAncestors(planning, basis.model, basis, { config: first.config });
  if (others[0]?.checkpoint.id === first.candidate.checkpoint.id) return ancestors;
  const second = await searchBehind(work, others);
  if (second === undefined) return ancestors;
  const baseBytes = second.candidate === undefined ? second.bytes : undefined;
  return (await storageCost(planning, second, baseBytes)) < (await storageCost(planning, first, baseBytes))
    ? others
    : ancestors;
}

/**
 * The given ancestors, or none if the checkpoint takes fewer bytes as a base. For the first lossy checkpoint behind
 * exact ones, for which nothing was estimated before its search. A base may have a coarser step, so it is searched as
 * well, unless the coarsest one takes more than the delta that was found.
 */
async function orAlone(
  work: Reconsideration,
  ancestors: readonly AncestorCandidate[],
  found: SearchedDelta,
): Promise<readonly AncestorCandidate[]> {
  const { planning, basis } = work;
  const alone = await planning.session.quantization({ ...basis, ancestor: undefined });
  const leastBytes = await alone.leastBytes?.();
  if (leastBytes !== undefined && found.bytes <= leastBytes) return ancestors;
  const base = await searchBehind(work, []);
  return base !== undefined && base.bytes < (await storageCost(planning, found, base.bytes)) ? [] : ancestors;
}

/** Undefined if no config passed. */
function searchBehind(
  { planning, basis, search }: Reconsideration,
  candidates: readonly AncestorCandidate[],
): Promise<SearchedDelta | undefined> {
  const { ancestors, session, parallel, signal } = planning;
  return ancestors.withBest(candidates, basis.model.plan, async (opened) => {
    const decision = await search(opened);
    if (decision.quantized === undefined) return undefined;
    const { config } = decision.quantized;
    const quantization = await session.quantization({ ...basis, ancestor: opened?.ancestor });
    return {
      candidate: opened?.candidate,
      config,
      bytes: await quantization.estimateBytes(config, { parallel, signal }),
    };
  });
}
