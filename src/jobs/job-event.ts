import type { Job } from '../catalog/contract/job-records.ts';

/** What a worker tells the log and the metrics. */
export type JobEvent =
  | { readonly kind: 'started'; readonly job: Job }
  /** The handler returned; what it said, and how long it took in ms. */
  | {
      readonly kind: 'finished';
      readonly job: Job;
      readonly outcome: 'done' | 'deferred' | 'cancelled';
      readonly tookMs: number;
    }
  /** The handler threw. `final`: the job ended as failed, else it is tried again after `delayMs`. */
  | {
      readonly kind: 'failed';
      readonly job: Job;
      readonly error: unknown;
      readonly final: boolean;
      readonly delayMs?: number;
    }
  /** Somebody else has the job, or may have it; nothing was recorded. */
  | { readonly kind: 'lost'; readonly job: Job }
  /** Taken back from a worker that is gone. `final`: it was lost too often and ended as failed. */
  | { readonly kind: 'taken-back'; readonly job: Job; readonly final: boolean }
  /** The worker's own bookkeeping failed; it goes on and tries again. */
  | {
      readonly kind: 'trouble';
      readonly during: 'poll' | 'heartbeat' | 'record' | 'subject';
      readonly error: unknown;
      readonly job?: Job;
    };
