import { lastConfig, residualOf, type Decision, type DecisionBasis } from '../decide-config.ts';
import { givenConfig, pace, type EncodeAttempt } from '../encode-attempt.ts';
import type { AncestorCandidate } from '../ancestor/find-ancestor.ts';
import { withAncestor, type OpenedAncestor } from '../ancestor/open-ancestor.ts';
import { isBudgeted, isFiner, plannedAncestors, storageCost, type SearchedDelta } from './plan-ancestor.ts';

export interface Reconsideration {
  readonly attempt: EncodeAttempt;
  readonly basis: Omit<DecisionBasis, 'ancestor'>;
  readonly search: (opened: OpenedAncestor | undefined) => Promise<Decision>;
}

/**
 * The ancestors to try, after a search behind the first of them. They were compared with the last checkpoint's step. Where the search needs a finer one, they are compared again with that, because it
 * makes a delta dearer by far more than a base; and what another one really takes decides. None where no step passes: a base rounds every weight anew. What was measured is remembered: what is stored in the end is not measured twice. Rejects as plannedAncestors and `search` do.
 */
export async function reconsiderAncestor(work: Reconsideration, ancestors: readonly AncestorCandidate[]): Promise<readonly AncestorCandidate[]> {
  const { attempt, basis } = work;
  if (ancestors.length === 0 || !isBudgeted(attempt, basis.model) || givenConfig(attempt) !== undefined) return ancestors;
  const first = await searchBehind(work, ancestors);
  if (first === undefined) return [];
  if (first.candidate === undefined || !isFiner(first.config, lastConfig(basis.candidates))) return ancestors;
  const others = await plannedAncestors(attempt, basis.model, basis, { config: first.config });
  if (others[0]?.checkpoint.id === first.candidate.checkpoint.id) return ancestors;
  const second = await searchBehind(work, others);
  if (second === undefined) return ancestors;
  const baseBytes = second.candidate === undefined ? second.bytes : undefined;
  return (await storageCost(attempt, second, baseBytes)) < (await storageCost(attempt, first, baseBytes)) ? others : ancestors;
}

/** Undefined where no config passed. */
function searchBehind({ attempt, basis, search }: Reconsideration, candidates: readonly AncestorCandidate[]): Promise<SearchedDelta | undefined> {
  return withAncestor(attempt, candidates, basis.model.plan, async (opened) => {
    const decision = await search(opened);
    if (decision.quantized === undefined) return undefined;
    const { config } = decision.quantized;
    const quantization = await residualOf(attempt, { ...basis, ancestor: opened?.ancestor });
    return { candidate: opened?.candidate, config, bytes: await quantization.estimateBytes(config, pace(attempt)) };
  });
}
