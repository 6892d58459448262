/** The delay before a failed job is retried. */
export interface BackoffPolicy {
  /** Before the second try, in ms. */
  readonly firstMs: number;
  /** Factor from one delay to the next, at least 1. */
  readonly factor: number;
  /** Longest delay, in ms. */
  readonly maxMs: number;
  /** Random share of a delay, from 0 to 1, so that jobs that failed together are not retried together. */
  readonly jitter: number;
}

/** About 1 s, 4 s, 16 s, 64 s, then every five minutes. */
export const defaultBackoff: BackoffPolicy = { firstMs: 1_000, factor: 4, maxMs: 300_000, jitter: 0.5 };

/**
 * Delay in whole ms after failure number `failures` (from 1): exponential up to `maxMs`, minus the random share.
 * `random` is in [0, 1).
 */
export function backoffMs(policy: BackoffPolicy, failures: number, random: number): number {
  const { firstMs, factor, maxMs, jitter } = policy;
  const wholeMs = Math.min(maxMs, firstMs * factor ** (failures - 1));
  return Math.round(wholeMs * (1 - jitter * random));
}
