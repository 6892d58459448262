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
  /** `quantized` is absent where no config passed. */
  readonly search: (
    opened: OpenedAncestor | undefined,
  ) => Promise<{ readonly quantized?: { readonly config: QuantizationConfig } }>;
}

/**
 * The ancestors to try, after a search behind the first of them. They were compared with the last checkpoint's step.
 * Where the search needs a finer one, they are compared again with that, because it makes a delta dearer by far more
 * than a base; and what another one really takes decides. None where no step passes: a base rounds every weight anew.
 * What was measured is remembered: what is stored in the end is not measured twice. Rejects as plannedAncestors and
 * `search` do.
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
  if (first.candidate === undefined || !ancestry.isFiner(first.config, lastConfig(basis.candidates))) return ancestors;
  const others = await plannedAncestors(planning, basis.model, basis, { config: first.config });
  if (others[0]?.checkpoint.id === first.candidate.checkpoint.id) return ancestors;
  const second = await searchBehind(work, others);
  if (second === undefined) return ancestors;
  const baseBytes = second.candidate === undefined ? second.bytes : undefined;
  return (await storageCost(planning, second, baseBytes)) < (await storageCost(planning, first, baseBytes))
    ? others
    : ancestors;
}

/** Undefined where no config passed. */
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
