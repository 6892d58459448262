/** Delay before a failed job is tried again. */
export interface BackoffPolicy {
  /** Before the second try, in ms. */
  readonly firstMs: number;
  /** Each further delay is the last one times this, at least 1. */
  readonly factor: number;
  /** No delay is longer, in ms. */
  readonly maxMs: number;
  /** Share of a delay that is random, from 0 to 1: jobs that failed together do not come back together. */
  readonly jitter: number;
}

/** About 1 s, 4 s, 16 s, 64 s, then every five minutes. */
export const defaultBackoff: BackoffPolicy = { firstMs: 1_000, factor: 4, maxMs: 300_000, jitter: 0.5 };

/**
 * Delay in whole ms after the failure number `failures` (from 1): exponential up to `maxMs`, of which the random share
 * is taken off. `random` is in [0, 1).
 */
export function backoffMs(policy: BackoffPolicy, failures: number, random: number): number {
  const { firstMs, factor, maxMs, jitter } = policy;
  const wholeMs = Math.min(maxMs, firstMs * factor ** (failures - 1));
  return Math.round(wholeMs * (1 - jitter * random));
}
