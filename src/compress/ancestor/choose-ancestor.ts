import { chainBytesMax, chainPackagesMax, type ChainCost } from './restore-budget.ts';

/** A stored checkpoint that could be the ancestor, nearest first among its like. */
export interface AncestorOption<T> {
  readonly candidate: T;
  readonly chain: ChainCost;
  /** Its own stored bytes, if it is a delta. */
  readonly deltaBytes?: number;
}

export interface AncestorChoice<T> {
  readonly options: readonly AncestorOption<T>[];
  /** See `fullBytes` of restore-budget.ts. */
  readonly fullBytes: number;
  /** Number of the new checkpoint in its run. */
  readonly sequence: number;
  /** Lower bound of a delta to the nearest candidate, if known. */
  readonly leastBytes?: number;
  /**
   * Bytes that the new checkpoint would take as a delta to a candidate, or as a base. Undefined for a candidate that
   * shares nothing with it or cannot be read.
   */
  readonly estimate: (candidate: T | undefined) => Promise<number | undefined>;
  /**
   * The base of the nearest candidate's chain, if building on it may pay although it lies far back; undefined if not.
   * Called only if the choice needs estimates.
   */
  readonly reusable?: () => Promise<AncestorOption<T> | undefined>;
}

/**
 * The cost that a chain which uses up the whole restore budget adds to later checkpoints, in bases: one of them will
 * have to be a base.
 */
const fullChainCost = 0.8;
/**
 * The same of a chain that has the most packages, if it does not use up that budget. Checkpoints after it build on one
 * that lies ever further back, so they take more and more; once one takes more than half of what a base takes, it is a
 * base. Less than {@link fullChainCost}, because towards the end of a run little moves however far back it lies.
 */
const longestChainCost = 0.5;
/**
 * A chain with some room left costs this power of the used share: deltas become smaller towards the end of a run, and
 * older ancestors have room.
 */
const fullnessPower = 1.5;
/** Estimates cover the quantized part only, most often at the last checkpoint's config. */
const estimateMargin = 1.1;
/**
 * If the chain of the nearest candidate would stay below this share of the budget with another delta like its own, that
 * candidate is chosen without an estimate.
 */
const shortChainShare = 1 / 2;
/** Most candidates estimated: each takes a pass over the model. */
const estimatesMax = 3;

/**
 * Chooses the ancestor with the least cost for a checkpoint, or none. The cost is the bytes of the delta, and the cost
 * that its chain adds to later checkpoints. The latter grows with the used share of the restore budget beyond the base.
 * A farther ancestor makes a delta larger, so the nearest candidates come first, and a candidate is skipped if its
 * chain has no room for a delta to the nearest. Compared on tables of all deltas, of the language series and of
 * synthetic runs of 200 checkpoints: docs/decisions/0015-restore-budget.md. A base to reuse is compared like a new
 * one, however far back it lies: docs/decisions/0049-unmoved-tensors-across-bases.md.
 */
export async function chooseAncestor<T>({
  options,
  fullBytes,
  sequence,
  leastBytes = 0,
  estimate,
  reusable: findReusable,
}: AncestorChoice<T>): Promise<T | undefined> {
  const limit = (baseBytes: number): number => chainBytesMax(baseBytes, { fullBytes, sequence });
  const open = options.filter(({ chain }) => chain.packages < chainPackagesMax);
  const [nearest] = open;
  if (leastBytes === 0 && nearest === options[0] && nearest?.deltaBytes !== undefined) {
    const { candidate, chain, deltaBytes } = nearest;
    if (chain.bytes + deltaBytes < shortChainShare * limit(chain.baseBytes)) return candidate;
  }
  const hasRoom = ({ chain }: AncestorOption<T>, deltaBytes: number): boolean =>
    chain.bytes + deltaBytes * estimateMargin <= limit(chain.baseBytes);
  const reusable = await findReusable?.();
  const reachable = open.filter((option) => option.candidate !== reusable?.candidate && hasRoom(option, leastBytes));
  if (reachable.length === 0 && reusable === undefined) return undefined;
  // The base comes first: the results of the last estimate are still cached when its candidate is stored, and most
  // often that is a delta.
  const baseBytes = await estimate(undefined);
  const found: FoundDelta<T>[] = [];
  const reusableBytes = reusable && (await estimate(reusable.candidate));
  const reusing =
    reusable !== undefined && reusableBytes !== undefined && hasRoom(reusable, Math.max(reusableBytes, leastBytes))
      ? foundDelta(reusable, reusableBytes)
      : undefined;
  if (reusing !== undefined) found.push(reusing);
  let leastDelta = leastBytes;
  let estimates = 0;
  for (const option of reachable) {
    if (!hasRoom(option, leastDelta) || estimates >= estimatesMax) continue;
    const bytes = await estimate(option.candidate);
    estimates += 1;
    if (bytes === undefined) continue;
    const fits = hasRoom(option, bytes);
    // Deltas to farther candidates are no smaller.
    if (leastDelta === 0 || !fits) leastDelta = Math.max(leastDelta, bytes);
    if (fits) found.push(foundDelta(option, bytes));
  }
  if (found.length === 0) return undefined;
  const costOf = ({ bytes, chain }: FoundDelta<T>): number => {
    const chainMax = limit(chain.baseBytes);
    const renewalBytes = baseBytes ?? chain.baseBytes;
    return reusing === undefined
      ? bytes + fullnessCost(chain, chainMax, renewalBytes)
      : bytes + reuseCost(chain, chainMax, Math.min(renewalBytes, reusing.bytes));
  };
  const best = found.reduce((least, delta) => (costOf(delta) < costOf(least) ? delta : least));
  return baseBytes !== undefined && baseBytes < costOf(best) ? undefined : best.candidate;
}

interface FoundDelta<T> {
  readonly candidate: T;
  readonly bytes: number;
  /** With the new checkpoint. */
  readonly chain: ChainCost;
}

function foundDelta<T>({ candidate, chain }: AncestorOption<T>, bytes: number): FoundDelta<T> {
  const { packages, baseBytes } = chain;
  return {
    candidate,
    bytes,
    chain: { packages: packages + 1, bytes: chain.bytes + bytes * estimateMargin, baseBytes },
  };
}

/** The cost in bytes that a chain adds to later checkpoints. A base adds none. */
export function fullnessCost(chain: ChainCost, chainMax: number, nextBaseBytes: number): number {
  const ofBytes = fullChainCost * usedShare(chain, chainMax) ** fullnessPower;
  const ofPackages = chain.packages < chainPackagesMax ? 0 : longestChainCost;
  return nextBaseBytes * Math.max(ofBytes, ofPackages);
}

/**
 * The same cost if a checkpoint without room reuses the base. That takes little, so a chain with the most
 * packages costs as much as one with the most bytes: otherwise checkpoints would build on ever farther ones instead.
 */
function reuseCost(chain: ChainCost, chainMax: number, reusableBytes: number): number {
  const packagesShare = (chain.packages - 1) / (chainPackagesMax - 1);
  return fullChainCost * reusableBytes * Math.max(usedShare(chain, chainMax), packagesShare) ** fullnessPower;
}

function usedShare({ bytes, baseBytes }: Omit<ChainCost, 'packages'>, chainMax: number): number {
  return Math.max(0, (bytes - baseBytes) / (chainMax - baseBytes));
}
