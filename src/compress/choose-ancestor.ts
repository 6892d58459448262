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
  /** Bytes it would take as a delta to a candidate, or as a base; undefined for a candidate that it shares nothing with or that cannot be read. */
  readonly estimate: (candidate: T | undefined) => Promise<number | undefined>;
}

/** A delta of more than this share of a base's bytes is not worth the chain it hangs on: a new base makes all later chains shorter. */
const deltaShareMax = 0.75;
/** Share of the bytes of a chain that it may take with a delta to an older candidate: one that leaves no room makes the next checkpoint a base. */
const olderShareMax = 0.9;
/** Estimates are of the quantized part, at the last checkpoint's config. */
const estimateMargin = 1.1;
/** A nearest candidate whose own delta fits this many times into what its chain has room for is taken without an estimate. */
const roomyDeltas = 3;
/** Candidates estimated beside the nearest one: each takes a pass over the model. */
const estimatesMax = 3;

/**
 * The ancestor of fewest bytes whose chain stays inside the restore budget, or none. Distance makes a delta larger, so candidates are looked at from the nearest on, and
 * only those whose chain would leave room for what the nearest takes. Measured on the data's language series with all deltas known: 58 times fewer bytes than raw at
 * 1 % where hindsight gives 61 and chains without a bound 78; 88 to 115 at 5 % where hindsight gives 122.
 */
export async function chooseAncestor<T>({ options, rawBytes, sequence, estimate }: AncestorChoice<T>): Promise<T | undefined> {
  const room = ({ chain }: AncestorOption<T>): number =>
    chain.packages < chainPackagesMax ? (chainBytesMax(chain.baseBytes, { rawBytes, sequence }) - chain.bytes) / estimateMargin : 0;
  const [nearest] = options;
  if (nearest?.deltaBytes !== undefined && roomyDeltas * nearest.deltaBytes < Math.min(room(nearest), nearest.chain.baseBytes)) return nearest.candidate;
  let baseBytes: number | undefined;
  let leastDelta = 0;
  let estimates = 0;
  for (const option of options) {
    if (room(option) <= leastDelta) continue;
    if (estimates > estimatesMax) break;
    const deltaBytes = await estimate(option.candidate);
    estimates += 1;
    if (deltaBytes === undefined) continue;
    leastDelta = Math.max(leastDelta, estimates === 1 ? deltaBytes : 0);
    if (deltaBytes > room(option)) continue;
    const limit = chainBytesMax(option.chain.baseBytes, { rawBytes, sequence });
    if (option !== nearest && option.chain.bytes + deltaBytes > olderShareMax * limit) continue;
    // A nearer one would have been smaller, so this is the best; only a base could still be better.
    if (deltaBytes <= deltaShareMax * option.chain.baseBytes) return option.candidate;
    baseBytes ??= (await estimate(undefined)) ?? Infinity;
    return deltaBytes <= deltaShareMax * baseBytes ? option.candidate : undefined;
  }
  return undefined;
}
