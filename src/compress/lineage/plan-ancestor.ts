import type { QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import { chainCost } from '../ancestor/chain-cost.ts';
import { chooseAncestor, fullnessCost, type AncestorOption } from '../ancestor/choose-ancestor.ts';
import { lastConfig, residualOf, type DecisionBasis } from '../decide-config.ts';
import { givenConfig, methodOf, pace, type EncodeAttempt } from '../encode-attempt.ts';
import type { AncestorCandidate } from '../ancestor/find-ancestor.ts';
import { ancestorsOfExact } from './ancestors-of-exact.ts';
import { withAncestor } from '../ancestor/open-ancestor.ts';
import { isQuantized } from '../plan/plan-codings.ts';
import type { PreparedModel } from '../prepare-model.ts';
import { chainBytesMax } from '../ancestor/restore-budget.ts';
import { isResumed } from '../ancestor/resumed-training.ts';

/** Candidates of checkpoints whose deltas are not compared: the farther one is, the less it is worth. */
const nearestMax = 4;

/** What came of the first ancestor chosen. */
export interface TriedDelta {
  /** What was found: estimates are made with this then. */
  readonly config: QuantizationConfig;
  /** What it took, where that left the restore budget. */
  readonly overBudgetBytes?: number;
}

/**
 * The candidates to build on, in the order they are to be tried. The residual method's is chosen by stored bytes and what a restore reads, because quality is measured with it;
 * for other methods the nearest that shares blocks is taken. A checkpoint that is kept exact may build on another run's. Rejects with the errors of catalog and store.
 */
export async function plannedAncestors(
  attempt: EncodeAttempt,
  model: PreparedModel,
  { candidates, resumption }: Pick<DecisionBasis, 'candidates' | 'resumption'>,
  tried?: TriedDelta,
): Promise<readonly AncestorCandidate[]> {
  if (!isQuantized(model.plan)) return ancestorsOfExact(attempt, model.plan, candidates.slice(0, nearestMax));
  if (!isBudgeted(attempt, model)) return candidates.slice(0, nearestMax);
  const config = tried?.config ?? givenConfig(attempt) ?? lastConfig(candidates);
  if (config?.method !== 'residual') return candidates;
  // Behind an older one, what was trained since a restart would be far less than a step.
  const eligible = resumption !== undefined && isResumed(resumption) ? candidates.slice(0, 1) : candidates;
  const all = (await Promise.all(eligible.map((candidate) => optionOf(attempt, candidate)))).flat();
  // Nothing is taken without a look once something was tried.
  const options = tried === undefined ? all : all.map(({ candidate, chain }) => ({ candidate, chain }));
  const chosen = await chooseAncestor({
    options,
    ...place(attempt),
    ...(tried?.overBudgetBytes !== undefined && { leastBytes: tried.overBudgetBytes }),
    estimate: (candidate) => estimateBytes(attempt, model, { candidates, resumption, candidate, config }),
  });
  return chosen === undefined ? [] : [chosen];
}

/** Least difference of two steps, in 1/32 octaves, for estimates with one to say little of the other. */
const finerMin = 2;

/** Whether a config found is finer than the last checkpoint's, with which ancestors were compared. */
export function isFiner(found: QuantizationConfig, last: QuantizationConfig | undefined): boolean {
  return found.method === 'residual' && last?.method === 'residual' && found.step <= last.step - finerMin;
}

/** What a search found behind a candidate, or as a base. */
export interface SearchedDelta {
  readonly candidate: AncestorCandidate | undefined;
  readonly config: QuantizationConfig;
  /** Of the quantized part. */
  readonly bytes: number;
}

/** What storing it costs with the checkpoints after it, in bytes (choose-ancestor.ts); infinite where that leaves the restore budget. `nextBaseBytes`: of a base now, where that is known. */
export async function storageCost(attempt: EncodeAttempt, { candidate, bytes }: SearchedDelta, nextBaseBytes: number | undefined): Promise<number> {
  if (candidate?.checkpoint.packageId === undefined) return bytes;
  const { baseBytes, ...chain } = chainCost(await attempt.ctx.catalog.packages.chain(candidate.checkpoint.packageId));
  const chainMax = chainBytesMax(baseBytes, place(attempt));
  return chain.bytes + bytes > chainMax
    ? Infinity
    : bytes + fullnessCost({ baseBytes, ...chain, bytes: chain.bytes + bytes }, chainMax, nextBaseBytes ?? baseBytes);
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

/** Whether the chain a checkpoint ends is bounded by what a restore may read. */
export function isBudgeted(attempt: EncodeAttempt, { plan }: PreparedModel): boolean {
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
    // Most often the delta is taken, and what its estimate found is what is stored then; of the base nothing but the bytes is asked for.
    const rough = candidate === undefined ? quantization.roughBytes?.(config, pace(attempt)) : undefined;
    return rough ?? quantization.estimateBytes(config, pace(attempt));
  });
}
