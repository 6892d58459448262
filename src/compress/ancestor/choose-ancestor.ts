import { chainBytesMax, chainPackagesMax, type ChainCost } from './restore-budget.ts';

/** A stored checkpoint that could be the ancestor, nearest first among its like. */
export interface AncestorOption<T> {
  readonly candidate: T;
  readonly chain: ChainCost;
  /** What it took itself, where it is a delta. */
  readonly deltaBytes?: number;
}

export interface AncestorChoice<T> {
  readonly options: readonly AncestorOption<T>[];
  readonly rawBytes: number;
  /** Number of the new checkpoint in its run. */
  readonly sequence: number;
  /** What a delta to the nearest candidate takes at least, where that is known. */
  readonly leastBytes?: number;
  /**
   * Bytes it would take as a delta to a candidate, or as a base; undefined for a candidate that it shares nothing with
   * or that cannot be read.
   */
  readonly estimate: (candidate: T | undefined) => Promise<number | undefined>;
}

/**
 * What a chain that reads all that a restore may is held to cost those after it, in bases: one of them will have to be
 * one.
 */
const fullChainCost = 0.8;
/**
 * A chain with some room left costs this power of the share that is taken: deltas become smaller towards the end of a
 * run, and older ancestors have room.
 */
const fullnessPower = 1.5;
/** Estimates are of the quantized part, most often at the last checkpoint's config. */
const estimateMargin = 1.1;
/**
 * A nearest candidate whose chain would stay below this share of the budget with one more delta like its own is taken
 * without an estimate.
 */
const shortChainShare = 1 / 2;
/** Candidates estimated: each takes a pass over the model. */
const estimatesMax = 3;

/**
 * The ancestor that a checkpoint costs least with, or none: the bytes it takes, and what its chain costs those after
 * it, which grows with the share of the restore budget beyond the base that it takes. Distance makes a delta larger, so
 * candidates are looked at from the nearest on, and only those whose chain has room for what the nearest takes.
 * Compared on tables of all deltas, of the data's language series and made-up runs of 200 checkpoints:
 * docs/decisions/0015-restore-budget.md.
 */
export async function chooseAncestor<T>({
  options,
  rawBytes,
  sequence,
  leastBytes = 0,
  estimate,
}: AncestorChoice<T>): Promise<T | undefined> {
  const limit = (baseBytes: number): number => chainBytesMax(baseBytes, { rawBytes, sequence });
  const open = options.filter(({ chain }) => chain.packages < chainPackagesMax);
  const [nearest] = open;
  if (leastBytes === 0 && nearest === options[0] && nearest?.deltaBytes !== undefined) {
    const { candidate, chain, deltaBytes } = nearest;
    if (chain.bytes + deltaBytes < shortChainShare * limit(chain.baseBytes)) return candidate;
  }
  const hasRoom = ({ chain }: AncestorOption<T>, deltaBytes: number): boolean =>
    chain.bytes + deltaBytes * estimateMargin <= limit(chain.baseBytes);
  const reachable = open.filter((option) => hasRoom(option, leastBytes));
  if (reachable.length === 0) return undefined;
  // First, because what the last estimate found out is still known when its candidate is taken, and most often that is
  // a delta.
  const baseBytes = await estimate(undefined);
  const found: { readonly candidate: T; readonly bytes: number; readonly chain: ChainCost }[] = [];
  let leastDelta = leastBytes;
  let estimates = 0;
  for (const option of reachable) {
    if (!hasRoom(option, leastDelta) || estimates >= estimatesMax) continue;
    const { candidate, chain } = option;
    const bytes = await estimate(candidate);
    estimates += 1;
    if (bytes === undefined) continue;
    const fits = hasRoom(option, bytes);
    // Those farther away take no less.
    if (leastDelta === 0 || !fits) leastDelta = Math.max(leastDelta, bytes);
    if (fits) found.push({ candidate, bytes, chain: { ...chain, bytes: chain.bytes + bytes * estimateMargin } });
  }
  if (found.length === 0) return undefined;
  const costs = found.map(({ candidate, bytes, chain }) => ({
    candidate,
    cost: bytes + fullnessCost(chain, limit(chain.baseBytes), baseBytes ?? chain.baseBytes),
  }));
  const { cost, candidate: best } = costs.reduce((least, option) => (option.cost < least.cost ? option : least));
  return baseBytes !== undefined && baseBytes < cost ? undefined : best;
}

/** What a chain is held to cost the checkpoints after it. A base of its own costs them nothing. */
export function fullnessCost({ bytes, baseBytes }: ChainCost, chainMax: number, nextBaseBytes: number): number {
  const fullness = Math.max(0, (bytes - baseBytes) / (chainMax - baseBytes));
  return fullChainCost * nextBaseBytes * fullness ** fullnessPower;
}
