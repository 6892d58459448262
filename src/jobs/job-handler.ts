import type { Claim, Job } from '../catalog/contract/work/job-records.ts';

/** Does one kind of work; `process/` binds it to its kind. */
export interface JobHandler {
  /**
   * Works on one claimed job. A job may run again after a crash at any point, so every effect is either repeatable or
   * inside the transaction that completes the claim. Throwing is a failure: it is retried with a growing delay, or ends
   * the job if the error is permanent (permanent-failure.ts).
   */
  run(job: Job, ctx: JobContext): Promise<JobOutcome>;
}

export interface JobContext {
  /**
   * Fires when the work should stop; `reason` is a `JobAborted` with the reason. It may have fired before the handler
   * starts, if a job was cancelled while no worker held it. The handler should throw the reason.
   */
  readonly signal: AbortSignal;
  /** To pass to `complete`, inside the handler's own transaction. */
  readonly claim: Claim;
}

export type JobOutcome =
  /** The handler has completed the claim inside the transaction that recorded its result. */
  | { readonly kind: 'done' }
  /** Not now: run again after `delayMs`, without counting a try. */
  | { readonly kind: 'defer'; readonly delayMs: number }
  /**
   * The work was cancelled. The worker ends the claim and calls `onCancelled`, unless the handler ended the claim
   * itself.
   */
  | { readonly kind: 'cancelled' };
