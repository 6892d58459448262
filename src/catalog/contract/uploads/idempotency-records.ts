export interface IdempotentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
export interface IdempotencyRecords {
  /**
   * Starts a keyed request: `started`, `running` while another request with the key runs, or the recorded answer.
   * Throws `idempotency-conflict` for another fingerprint. An answer is stored for `ttlMs`; a key without one blocks
   * for at most ten minutes, or until an embedded catalog restarts. Not inside a transaction.
   */
  begin(key: string, fingerprint: string, ttlMs: number): Promise<'started' | 'running' | IdempotentAnswer>;
  /** Does nothing if the key no longer belongs to this request: it expired, and may belong to another. */
  finish(key: string, fingerprint: string, answer: IdempotentAnswer): Promise<void>;
  /** Removes the key of a request that failed without effect. */
  abandon(key: string, fingerprint: string): Promise<void>;
  /** Removes some expired keys; returns their number, 0 when none is left. */
  prune(now: Date): Promise<number>;
}
