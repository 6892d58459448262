import type { Job } from '../catalog/contract/work/job-records.ts';

/** Events of a worker for log and metrics. */
export type JobEvent =
  | { readonly kind: 'started'; readonly job: Job }
  /** The handler returned; its outcome, and its time in ms. */
  | {
      readonly kind: 'finished';
      readonly job: Job;
      readonly outcome: 'done' | 'deferred' | 'cancelled';
      readonly tookMs: number;
    }
  /** The handler threw. `final`: the job ended as failed, else it is retried after `delayMs`. */
  | {
      readonly kind: 'failed';
      readonly job: Job;
      readonly error: unknown;
      readonly final: boolean;
      readonly delayMs?: number;
    }
  /** Another worker has the job, or may have it; nothing was recorded. */
  | { readonly kind: 'lost'; readonly job: Job }
  /** Taken back from a dead worker. `final`: it lost too many leases and ended as failed. */
  | { readonly kind: 'taken-back'; readonly job: Job; readonly final: boolean }
  /** The worker's own bookkeeping failed; it retries. */
  | {
      readonly kind: 'trouble';
      readonly during: 'poll' | 'heartbeat' | 'record' | 'subject';
      readonly error: unknown;
      readonly job?: Job;
    };
