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
  /** Bytes it would take as a delta to a candidate, or as a base; undefined for a candidate that it shares nothing with or that cannot be read. */
  readonly estimate: (candidate: T | undefined) => Promise<number | undefined>;
}

/** What a chain of all that a restore may read is held to cost, in such chains: a full chain makes the next checkpoint a base, an empty one costs nothing. */
const fullChainCost = 0.6;
/** Estimates are of the quantized part, most often at the last checkpoint's config. */
const estimateMargin = 1.1;
/** A nearest candidate whose chain would stay below this share of the budget with one more delta like its own is taken without an estimate. */
const shortChainShare = 1 / 2;
/** Candidates estimated: each takes a pass over the model. */
const estimatesMax = 3;

/**
 * The ancestor that a checkpoint costs least with, or none: the bytes it takes, and what its chain costs those after it, which grows with the square of the share of the restore
 * budget that it takes. Distance makes a delta larger, so candidates are looked at from the nearest on, and only those whose chain has room for what the nearest takes.
 * Compared on tables of all deltas, of the data's language series and made-up runs of 200 checkpoints: docs/decisions/0015-restore-budget.md.
 */
export async function chooseAncestor<T>({ options, rawBytes, sequence, leastBytes = 0, estimate }: AncestorChoice<T>): Promise<T | undefined> {
  const limit = (baseBytes: number): number => chainBytesMax(baseBytes, { rawBytes, sequence });
  const open = options.filter(({ chain }) => chain.packages < chainPackagesMax);
  const [nearest] = open;
  if (leastBytes === 0 && nearest === options[0] && nearest?.deltaBytes !== undefined) {
    const { candidate, chain, deltaBytes } = nearest;
    if (chain.bytes + deltaBytes < shortChainShare * limit(chain.baseBytes)) return candidate;
  }
  const found: { readonly candidate: T; readonly cost: number }[] = [];
  let leastDelta = leastBytes;
  let estimates = 0;
  for (const { candidate, chain } of open) {
    const chainMax = limit(chain.baseBytes);
    if (chain.bytes + leastDelta * estimateMargin > chainMax || estimates >= estimatesMax) continue;
    const bytes = await estimate(candidate);
    estimates += 1;
    if (bytes === undefined) continue;
    const chainBytes = chain.bytes + bytes * estimateMargin;
    // Those farther away take no less.
    if (leastDelta === 0 || chainBytes > chainMax) leastDelta = Math.max(leastDelta, bytes);
    if (chainBytes <= chainMax) found.push({ candidate, cost: costOf(bytes, chainBytes, chainMax) });
  }
  if (found.length === 0) return undefined;
  const { cost, candidate: best } = found.reduce((least, option) => (option.cost < least.cost ? option : least));
  const baseBytes = await estimate(undefined);
  if (baseBytes === undefined) return best;
  return costOf(baseBytes, baseBytes, limit(baseBytes)) < cost ? undefined : best;
}

function costOf(bytes: number, chainBytes: number, chainMax: number): number {
  return bytes + (fullChainCost * chainBytes ** 2) / chainMax;
}
