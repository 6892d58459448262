import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import { methodConfigOf, type QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import { chainCost } from '../ancestor/chain-cost.ts';
import { chooseAncestor, fullnessCost, type AncestorOption } from '../ancestor/choose-ancestor.ts';
import { lastConfig } from '../ancestor/last-config.ts';
import type { AncestorCandidate } from '../ancestor/find-ancestor.ts';
import type { Method, MethodSession, QuantizableModel, QuantizationBasis } from '../method/method.ts';
import { ancestorsOfExact, type ExactLineage } from './ancestors-of-exact.ts';
import { isQuantized } from '../plan/plan-codings.ts';
import { chainBytesMax } from '../ancestor/restore-budget.ts';
import { isResumed } from '../ancestor/resumed-training.ts';

/** Candidates of checkpoints whose deltas are not compared: the farther one is, the less it is worth. */
const nearestMax = 4;

/** What is asked to choose an ancestor. */
export interface AncestorPlanning extends ExactLineage {
  readonly checkpoint: Pick<Checkpoint, 'sequence'>;
  readonly method: Method;
  readonly session: MethodSession;
  /** The config that came with the checkpoint or its run. */
  readonly given: QuantizationConfig | undefined;
}

/** What came of the first ancestor chosen. */
export interface TriedDelta {
  /** What was found: estimates are made with this then. */
  readonly config: QuantizationConfig;
  /** What it took, where that left the restore budget. */
  readonly overBudgetBytes?: number;
}

/**
 * The candidates to build on, in the order they are to be tried. A method that is budgeted has its ancestor chosen by
 * stored bytes and by what a restore reads; another takes the nearest that shares blocks, or chooses itself. A
 * checkpoint that is kept exact may build on another run's. Rejects with the errors of catalog and store.
 */
export async function plannedAncestors(
  work: AncestorPlanning,
  model: QuantizableModel,
  { candidates, resumption }: Pick<QuantizationBasis, 'candidates' | 'resumption'>,
  tried?: TriedDelta,
): Promise<readonly AncestorCandidate[]> {
  const { method, given, checkpoint } = work;
  const { ancestry } = method;
  if (!isQuantized(model.plan)) return ancestorsOfExact(work, model.plan, candidates.slice(0, nearestMax));
  if (ancestry.kind === 'nearest') return candidates.slice(0, nearestMax);
  if (ancestry.kind === 'own')
    return ancestry.choose({ candidates, checkpoint, config: given ?? methodConfigOf(method.name).unsearched });
  const config = tried?.config ?? given ?? lastConfig(candidates);
  if (config?.method !== method.name) return candidates;
  // Behind an older one, what was trained since a restart would be far less than a step.
  const eligible = resumption !== undefined && isResumed(resumption) ? candidates.slice(0, 1) : candidates;
  const all = (await Promise.all(eligible.map((candidate) => optionOf(work, candidate)))).flat();
  // Nothing is taken without a look once something was tried.
  const options = tried === undefined ? all : all.map(({ candidate, chain }) => ({ candidate, chain }));
  const chosen = await chooseAncestor({
    options,
    ...place(work),
    ...(tried?.overBudgetBytes !== undefined && { leastBytes: tried.overBudgetBytes }),
    estimate: (candidate) => estimateBytes(work, model, { candidates, resumption, candidate, config }),
  });
  return chosen === undefined ? [] : [chosen];
}

/** What a search found behind a candidate, or as a base. */
export interface SearchedDelta {
  readonly candidate: AncestorCandidate | undefined;
  readonly config: QuantizationConfig;
  /** Of the quantized part. */
  readonly bytes: number;
}

/**
 * What storing it costs with the checkpoints after it, in bytes (choose-ancestor.ts); infinite where that leaves the
 * restore budget. `nextBaseBytes`: of a base now, where that is known.
 */
export async function storageCost(
  work: AncestorPlanning,
  { candidate, bytes }: SearchedDelta,
  nextBaseBytes: number | undefined,
): Promise<number> {
  if (candidate?.checkpoint.packageId === undefined) return bytes;
  const { baseBytes, ...chain } = chainCost(await work.catalog.packages.chain(candidate.checkpoint.packageId));
  const chainMax = chainBytesMax(baseBytes, place(work));
  return chain.bytes + bytes > chainMax
    ? Infinity
    : bytes + fullnessCost({ baseBytes, ...chain, bytes: chain.bytes + bytes }, chainMax, nextBaseBytes ?? baseBytes);
}

/** Whether a package stored against a candidate leaves the restore budget: estimates may be wrong. */
export async function overBudget(
  work: AncestorPlanning,
  model: QuantizableModel,
  { packageId }: AncestorCandidate['checkpoint'],
  sizeBytes: number,
): Promise<boolean> {
  if (!isBudgeted(work, model) || packageId === undefined) return false;
  const chain = chainCost(await work.catalog.packages.chain(packageId));
  return chain.bytes + sizeBytes > chainBytesMax(chain.baseBytes, place(work));
}

/** Whether the chain a checkpoint ends is bounded by what a restore may read. */
export function isBudgeted({ method }: Pick<AncestorPlanning, 'method'>, { plan }: QuantizableModel): boolean {
  return method.ancestry.kind === 'budgeted' && isQuantized(plan);
}

function place({ source, checkpoint }: AncestorPlanning): { rawBytes: number; sequence: number } {
  return { rawBytes: source.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0), sequence: checkpoint.sequence };
}

/** Empty for a checkpoint without a package, or whose chain the catalog cannot follow. */
async function optionOf(
  work: AncestorPlanning,
  candidate: AncestorCandidate,
): Promise<AncestorOption<AncestorCandidate>[]> {
  const { packageId, result } = candidate.checkpoint;
  if (packageId === undefined) return [];
  const chain = chainCost(await work.catalog.packages.chain(packageId));
  return [{ candidate, chain, ...(result?.kind === 'delta' && { deltaBytes: result.storedBytes }) }];
}

interface Estimate extends Pick<QuantizationBasis, 'candidates' | 'resumption'> {
  /** Undefined for a base. */
  readonly candidate: AncestorCandidate | undefined;
  readonly config: QuantizationConfig;
}

async function estimateBytes(
  work: AncestorPlanning,
  model: QuantizableModel,
  { candidate, config, ...basis }: Estimate,
): Promise<number | undefined> {
  const { ancestors, session, parallel, signal } = work;
  return ancestors.withBest(candidate === undefined ? [] : [candidate], model.plan, async (opened) => {
    if (candidate !== undefined && opened === undefined) return undefined;
    const quantization = await session.quantization({ model, ...basis, ancestor: opened?.ancestor });
    // Most often the delta is taken, and what its estimate found is what is stored then; of the base nothing but the
    // bytes is asked for.
    const rough = candidate === undefined ? quantization.roughBytes?.(config, { parallel, signal }) : undefined;
    return rough ?? quantization.estimateBytes(config, { parallel, signal });
  });
}
