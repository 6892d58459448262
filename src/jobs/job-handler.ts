import type { Claim, Job } from '../catalog/contract/job-records.ts';

/** What a kind of work does. Bound to its kind by the wiring. */
export interface JobHandler {
  /**
   * Works on one claimed job. A job may run again after a crash at any point, so every effect is either repeatable or
   * inside the transaction that completes the claim. Throwing is a failure: tried again with a growing delay, or ended
   * at once when the error is permanent (permanent-failure.ts).
   */
  run(job: Job, ctx: JobContext): Promise<JobOutcome>;
}

export interface JobContext {
  /**
   * Fires when the work should stop; `reason` is a `JobAborted` that says why. May have fired before the handler
   * starts: a job that was cancelled while no worker held it. Throwing the reason is the way out.
   */
  readonly signal: AbortSignal;
  /** For `complete`, inside the handler's own transaction. */
  readonly claim: Claim;
}

export type JobOutcome =
  /** The handler has completed the claim inside the transaction that recorded its result. */
  | { readonly kind: 'done' }
  /** Not now: again after `delayMs`, counting nothing. */
  | { readonly kind: 'defer'; readonly delayMs: number }
  /**
   * The handler saw that its work was cancelled. The worker ends the claim and calls `onCancelled` unless the handler
   * ended it itself.
   */
  | { readonly kind: 'cancelled' };
