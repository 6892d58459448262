import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import { methodConfigOf, type QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import { chainCost } from '../ancestor/chain-cost.ts';
import { chooseAncestor, fullnessCost, type AncestorOption } from '../ancestor/choose-ancestor.ts';
import { lastConfig } from '../ancestor/last-config.ts';
import type { AncestorCandidate } from '../ancestor/find-ancestor.ts';
import type { Method, MethodSession, QuantizableModel, QuantizationBasis } from '../method/method.ts';
import { ancestorsOfExact, type ExactLineage } from './ancestors-of-exact.ts';
import { isQuantized } from '../plan/plan-codings.ts';
import { chainBytesMax, fullBytes } from '../ancestor/restore-budget.ts';
import { isResumed } from '../ancestor/resumed-training.ts';

/** Most candidates for methods that do not compare deltas: a farther candidate is less useful. */
const nearestMax = 4;

/** Inputs of the choice of an ancestor. */
export interface AncestorPlanning extends ExactLineage {
  readonly checkpoint: Pick<Checkpoint, 'sequence'>;
  readonly method: Method;
  readonly session: MethodSession;
  /** The config that came with the checkpoint or its run. */
  readonly given: QuantizationConfig | undefined;
}

/** Outcome of the first ancestor chosen. */
export interface TriedDelta {
  /** The config that was found; estimates use it from then on. */
  readonly config: QuantizationConfig;
  /** Stored bytes, if they exceeded the restore budget. */
  readonly overBudgetBytes?: number;
}

/**
 * The candidates to build on, in the order in which they are to be tried. For a budgeted method, the ancestor is chosen
 * by stored bytes and by the bytes that a restore reads. Other methods take the nearest candidate that shares blocks,
 * or choose by their own rule. An exact checkpoint may build on another run's. Rejects with the errors of catalog and
 * store.
 */
export async function plannedAncestors(
  work: AncestorPlanning,
  model: QuantizableModel,
  { candidates: all, resumption }: Pick<QuantizationBasis, 'candidates' | 'resumption'>,
  tried?: TriedDelta,
): Promise<readonly AncestorCandidate[]> {
  const { method, given, checkpoint } = work;
  const { ancestry } = method;
  if (!isQuantized(model.plan)) return ancestorsOfExact(work, model.plan, all.slice(0, nearestMax));
  if (ancestry.kind === 'nearest') {
    const nearest = all.slice(0, nearestMax);
    return ancestry.reusesBase === true ? work.reusableBase.behind(model.plan, nearest) : nearest;
  }
  if (ancestry.kind === 'own')
    return ancestry.choose({
      ...{ candidates: all, checkpoint },
      config: given ?? methodConfigOf(method.name).unsearched,
    });
  const candidates = withoutExactBetween(all);
  const config = tried?.config ?? given ?? lastConfig(candidates);
  if (config?.method !== method.name) return candidates;
  // After a restart, moves relative to an older ancestor would be far smaller than a step. So only the nearest is
  // eligible.
  const eligible =
    resumption !== undefined && isResumed(resumption)
      ? candidates.filter((candidate) => candidate === all[0])
      : candidates;
  const found = (await Promise.all(eligible.map((candidate) => optionOf(work, candidate)))).flat();
  // After a first attempt, no candidate is taken without an estimate.
  const options = tried === undefined ? found : found.map(({ candidate, chain }) => ({ candidate, chain }));
  const chosen = await chooseAncestor({
    options,
    ...place(work),
    ...(tried?.overBudgetBytes !== undefined && { leastBytes: tried.overBudgetBytes }),
    estimate: (candidate) => estimateBytes(work, model, { candidates, resumption, candidate, config }),
    ...(eligible === candidates && { reusable: () => reusableOption(work, model, options, candidates) }),
  });
  return chosen === undefined ? [] : [chosen];
}

/**
 * Candidates without the exact checkpoints that came after a quantized one. What those are stored with, and how far
 * weights may be from them, follows from the quantized ones. Exact checkpoints before all of these, such as a base
 * model, may be built on.
 */
function withoutExactBetween(candidates: readonly AncestorCandidate[]): readonly AncestorCandidate[] {
  const isLossy = ({ checkpoint }: AncestorCandidate): boolean => checkpoint.result?.config !== undefined;
  const oldestLossy = candidates.findLastIndex(isLossy);
  return candidates.filter((candidate, i) => isLossy(candidate) || i > oldestLossy);
}

/** Result of a search with a candidate, or as a base. */
export interface SearchedDelta {
  readonly candidate: AncestorCandidate | undefined;
  readonly config: QuantizationConfig;
  /** Bytes of the quantized part. */
  readonly bytes: number;
}

/**
 * The cost in bytes of storing it, including the cost to later checkpoints (choose-ancestor.ts); infinite if it exceeds
 * the restore budget. `nextBaseBytes`: bytes of a base now, if known.
 */
export async function storageCost(
  work: AncestorPlanning,
  { candidate, bytes }: SearchedDelta,
  nextBaseBytes: number | undefined,
): Promise<number> {
  if (candidate?.checkpoint.packageId === undefined) return bytes;
  const before = chainCost(await work.catalog.packages.chain(candidate.checkpoint.packageId));
  const { baseBytes } = before;
  const chain = { baseBytes, packages: before.packages + 1, bytes: before.bytes + bytes };
  const chainMax = chainBytesMax(baseBytes, place(work));
  return chain.bytes > chainMax ? Infinity : bytes + fullnessCost(chain, chainMax, nextBaseBytes ?? baseBytes);
}

/** Whether a package stored with a candidate exceeds the restore budget: estimates may be wrong. */
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

/** Whether the restore budget bounds the chain of a checkpoint. */
export function isBudgeted({ method }: Pick<AncestorPlanning, 'method'>, { plan }: QuantizableModel): boolean {
  return method.ancestry.kind === 'budgeted' && isQuantized(plan);
}

function place({ source, checkpoint }: AncestorPlanning): { fullBytes: number; sequence: number } {
  return { fullBytes: fullBytes(source.files), sequence: checkpoint.sequence };
}

/** Empty for a checkpoint without a package, or if the catalog cannot follow its chain. */
async function optionOf(
  work: AncestorPlanning,
  candidate: AncestorCandidate,
): Promise<AncestorOption<AncestorCandidate>[]> {
  const { packageId, result } = candidate.checkpoint;
  if (packageId === undefined) return [];
  const chain = chainCost(await work.catalog.packages.chain(packageId));
  return [{ candidate, chain, ...(result?.kind === 'delta' && { deltaBytes: result.storedBytes }) }];
}

/** The base to reuse as an option; undefined if there is none. */
async function reusableOption(
  work: AncestorPlanning,
  { plan }: QuantizableModel,
  options: readonly AncestorOption<AncestorCandidate>[],
  candidates: readonly AncestorCandidate[],
): Promise<AncestorOption<AncestorCandidate> | undefined> {
  const reusable = await work.reusableBase.find(plan, candidates);
  if (reusable === undefined) return undefined;
  const known = options.find(({ candidate }) => candidate.checkpoint.id === reusable.checkpoint.id);
  return known ?? (await optionOf(work, reusable))[0];
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
    // Most often the delta is chosen, and its estimate is reused for storing. For a base only the bytes are needed, so
    // a rough estimate is enough.
    const rough = candidate === undefined ? quantization.roughBytes?.(config, { parallel, signal }) : undefined;
    return rough ?? quantization.estimateBytes(config, { parallel, signal });
  });
}
