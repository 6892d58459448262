import type { QuantizationConfig } from '../checkpoint/quantization-config.ts';
import { chainCost } from './chain-cost.ts';
import { chooseAncestor, type AncestorOption } from './choose-ancestor.ts';
import { lastConfig, residualOf, type DecisionBasis } from './decide-config.ts';
import { givenConfig, methodOf, pace, type EncodeAttempt } from './encode-attempt.ts';
import type { AncestorCandidate } from './find-ancestor.ts';
import { withAncestor } from './open-ancestor.ts';
import { isQuantized } from './plan-codings.ts';
import type { PreparedModel } from './prepare-model.ts';
import { chainBytesMax } from './restore-budget.ts';
import { isResumed } from './resumed-training.ts';

/** Candidates of methods whose deltas are not compared: the farther one is, the less it is worth. */
const nearestMax = 4;

/** What was stored behind the first ancestor chosen, where that left the restore budget. */
export interface TriedDelta {
  readonly bytes: number;
  /** What it was stored with: estimates are made with this then. */
  readonly config: QuantizationConfig;
}

/**
 * The candidates to build on, in the order they are to be tried. The residual method's is chosen by stored bytes and what a restore reads, because quality is measured with it;
 * for other methods the nearest that shares blocks is taken. Rejects with the errors of catalog and store.
 */
export async function plannedAncestors(
  attempt: EncodeAttempt,
  model: PreparedModel,
  { candidates, resumption }: Pick<DecisionBasis, 'candidates' | 'resumption'>,
  tried?: TriedDelta,
): Promise<readonly AncestorCandidate[]> {
  if (!isBudgeted(attempt, model)) return candidates.slice(0, nearestMax);
  const config = tried?.config ?? givenConfig(attempt) ?? lastConfig(candidates);
  if (config?.method !== 'residual') return candidates;
  // Behind an older one, what was trained since a restart would be far less than a step.
  const eligible = resumption !== undefined && isResumed(resumption) ? candidates.slice(0, 1) : candidates;
  const options = (await Promise.all(eligible.map((candidate) => optionOf(attempt, candidate)))).flat();
  const chosen = await chooseAncestor({
    options,
    ...place(attempt),
    ...(tried && { leastBytes: tried.bytes }),
    estimate: (candidate) => estimateBytes(attempt, model, { candidates, resumption, candidate, config }),
  });
  return chosen === undefined ? [] : [chosen];
}

/** Whether a package stored against a candidate leaves the restore budget: estimates may be wrong. */
export async function overBudget(
  attempt: EncodeAttempt,
  model: PreparedModel,
  { packageId }: AncestorCandidate['checkpoint'],
  sizeBytes: number,
): Promise<boolean> {
  if (!isBudgeted(attempt, model) || packageId === undefined) return false;
  const chain = chainCost(await attempt.ctx.catalog.packages.chain(packageId));
  return chain.bytes + sizeBytes > chainBytesMax(chain.baseBytes, place(attempt));
}

function isBudgeted(attempt: EncodeAttempt, { plan }: PreparedModel): boolean {
  return methodOf(attempt) === 'residual' && isQuantized(plan);
}

function place({ source, checkpoint }: EncodeAttempt): { rawBytes: number; sequence: number } {
  return { rawBytes: source.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0), sequence: checkpoint.sequence };
}

/** Empty for a checkpoint without a package, or whose chain the catalog cannot follow. */
async function optionOf(attempt: EncodeAttempt, candidate: AncestorCandidate): Promise<AncestorOption<AncestorCandidate>[]> {
  const { packageId, result } = candidate.checkpoint;
  if (packageId === undefined) return [];
  const chain = chainCost(await attempt.ctx.catalog.packages.chain(packageId));
  return [{ candidate, chain, ...(result?.kind === 'delta' && { deltaBytes: result.storedBytes }) }];
}

interface Estimate extends Pick<DecisionBasis, 'candidates' | 'resumption'> {
  /** Undefined for a base. */
  readonly candidate: AncestorCandidate | undefined;
  readonly config: QuantizationConfig;
}

async function estimateBytes(attempt: EncodeAttempt, model: PreparedModel, { candidate, config, ...basis }: Estimate): Promise<number | undefined> {
  return withAncestor(attempt, candidate === undefined ? [] : [candidate], model.plan, async (opened) => {
    if (candidate !== undefined && opened === undefined) return undefined;
    const quantization = await residualOf(attempt, { model, ...basis, ancestor: opened?.ancestor });
    return quantization.estimateBytes(config, pace(attempt));
  });
}
