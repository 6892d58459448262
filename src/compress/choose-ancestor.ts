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

/** What a chain of all that a restore may read is held to cost, in such chains: a full chain makes the next checkpoint a base, an empty one costs nothing. */
const fullChainCost = 0.6;
/** Estimates are of the quantized part, at the last checkpoint's config. */
const estimateMargin = 1.1;
/** A nearest candidate whose chain would stay below this share of the budget with one more delta like its own is taken without an estimate. */
const shortChainShare = 1 / 2;
/** An estimate that is corrected by how far another was off is trusted this far. */
const retryMargin = 1.05;
/** Candidates estimated: each takes a pass over the model. */
const estimatesMax = 3;

/** A way to store a checkpoint. */
export interface AncestorPlan<T> {
  /** Undefined for a base. */
  readonly candidate: T | undefined;
  /** Bytes it is expected to take; undefined where that was not estimated. */
  readonly bytes: number | undefined;
  /** Most bytes it may take inside the restore budget. */
  readonly room: number;
}

/**
 * The ancestors a checkpoint costs least with, cheapest first, a base among them: the bytes it takes, and what its chain costs those after it, which grows with the square of the share of the restore
 * budget that it takes. Empty where there is nothing but a base. Distance makes a delta larger, so candidates are looked at from the nearest on, and only those whose chain has room for what the nearest takes.
 * Compared on tables of all deltas, of the data's language series and made-up runs of 200 checkpoints: docs/decisions/0015-restore-budget.md.
 */
export async function chooseAncestor<T>({ options, rawBytes, sequence, estimate }: AncestorChoice<T>): Promise<AncestorPlan<T>[]> {
  const limit = (baseBytes: number): number => chainBytesMax(baseBytes, { rawBytes, sequence });
  const open = options.filter(({ chain }) => chain.packages < chainPackagesMax);
  const [nearest] = open;
  if (nearest === options[0] && nearest?.deltaBytes !== undefined) {
    const { candidate, chain, deltaBytes } = nearest;
    const chainMax = limit(chain.baseBytes);
    if (chain.bytes + deltaBytes < shortChainShare * chainMax) return [{ candidate, bytes: undefined, room: chainMax - chain.bytes }];
  }
  const found: (AncestorPlan<T> & { readonly cost: number })[] = [];
  let leastDelta = 0;
  let estimates = 0;
  for (const { candidate, chain } of open) {
    const chainMax = limit(chain.baseBytes);
    if (chain.bytes + leastDelta * estimateMargin > chainMax || estimates >= estimatesMax) continue;
    const bytes = await estimate(candidate);
    estimates += 1;
    if (bytes === undefined) continue;
    if (leastDelta === 0) leastDelta = bytes;
    const chainBytes = chain.bytes + bytes * estimateMargin;
    if (chainBytes <= chainMax) found.push({ candidate, bytes, room: chainMax - chain.bytes, cost: costOf(bytes, chainBytes, chainMax) });
  }
  if (found.length === 0) return [];
  const baseBytes = await estimate(undefined);
  if (baseBytes !== undefined) found.push({ candidate: undefined, bytes: baseBytes, room: Infinity, cost: costOf(baseBytes, baseBytes, limit(baseBytes)) });
  return found.sort((a, b) => a.cost - b.cost).map(({ candidate, bytes, room }) => ({ candidate, bytes, room }));
}

/** What is left of the plans when a delta took more than it had room for: the cheapest that has room if its estimate is as far off; a base where there is none. */
export function planInstead<T>([first, ...rest]: readonly AncestorPlan<T>[], bytes: number): AncestorPlan<T> {
  const base = { candidate: undefined, bytes: undefined, room: Infinity };
  if (first?.bytes === undefined) return base;
  const factor = (retryMargin * bytes) / first.bytes;
  return rest.find((plan) => (plan.bytes ?? Infinity) * factor <= plan.room) ?? base;
}

function costOf(bytes: number, chainBytes: number, chainMax: number): number {
  return bytes + (fullChainCost * chainBytes ** 2) / chainMax;
}
