export interface IdempotentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
export interface IdempotencyRecords {
  /**
   * Starts a keyed request: `started`, `running` while another such request does, or the recorded answer, or throws
   * `idempotency-conflict` (other fingerprint). An answer is kept for `ttlMs`; a key without one blocks for at most ten
   * minutes, or until an embedded restart. Not inside a transaction.
   */
  begin(key: string, fingerprint: string, ttlMs: number): Promise<'started' | 'running' | IdempotentAnswer>;
  /** Does nothing when the key is not running this request: it expired meanwhile, and may run another. */
  finish(key: string, fingerprint: string, answer: IdempotentAnswer): Promise<void>;
  /** Forgets a key whose request failed without effect. */
  abandon(key: string, fingerprint: string): Promise<void>;
  /** Removes some expired keys; returns how many, 0 when none is left. */
  prune(now: Date): Promise<number>;
}
