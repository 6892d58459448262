import type { DeviceKind } from '../../../checkpoint/device-kind.ts';
import type { DeviceWish } from '../../../checkpoint/options/device-wish.ts';

export const jobStates = ['held', 'queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly subjectId: string;
  readonly state: JobState;
  /**
   * Jobs of one order key run one at a time, by orderSequence. An unfinished earlier job (held, queued, running) blocks
   * later ones.
   */
  readonly orderKey?: string;
  readonly orderSequence?: number;
  readonly runAt: Date;
  /** Failed tries; lost leases are counted separately. */
  readonly attempts: number;
  readonly attemptsMax: number;
  readonly leasesLost: number;
  readonly leasesLostMax: number;
  /** Grows with every claim: the fencing token. */
  readonly fence: number;
  readonly lockedBy?: string;
  readonly leaseUntil?: Date;
  readonly lastError?: string;
  readonly cancelRequested: boolean;
  /** W3C traceparent of the request or work that enqueued the job. */
  readonly traceparent?: string;
  readonly device: DeviceWish;
}
/** What a worker has, and how long jobs wait for one that has more. */
export interface DeviceClaim {
  readonly kinds: readonly DeviceKind[];
  /** For so long a job that prefers a GPU is left to workers with one, and these leave it jobs that want none. */
  readonly waitMs: number;
  /** A worker counts as alive for so long after a sign of life. */
  readonly livingMs: number;
}
/** How long jobs of a kind wait that wish for the same. */
export interface JobWait {
  readonly kind: string;
  readonly device: DeviceWish;
  readonly seconds: number;
}
/** Proof of a claim; every later verb checks it. */
export interface Claim {
  readonly jobId: string;
  readonly workerId: string;
  readonly fence: number;
}
/** Number of jobs of a kind in a state. */
export interface JobCount {
  readonly kind: string;
  readonly state: JobState;
  readonly count: number;
  /** Of running jobs: what the worker has that holds them. */
  readonly worker?: DeviceKind;
}
export interface JobRecords {
  /**
   * `held` jobs have their place in the order but cannot be claimed until `release`. `conflict` while the subject has
   * an unfinished job of the kind.
   */
  enqueue(input: {
    kind: string;
    subjectId: string;
    held?: boolean;
    orderKey?: string;
    orderSequence?: number;
    attemptsMax?: number;
    leasesLostMax?: number;
    traceparent?: string;
    /** `none` when absent. */
    device?: DeviceWish;
  }): Promise<Job>;
  /** What the unfinished jobs of an order key wish for from now on; running ones are not affected. */
  setDevice(orderKey: string, device: DeviceWish): Promise<void>;
  /** Does nothing if the job is queued or running; `conflict` when the subject has no unfinished job of the kind. */
  release(kind: string, subjectId: string, traceparent?: string): Promise<void>;
  /**
   * Queues ended work of the subject again: its newest job of the kind, or a new one as given if that was pruned.
   * Attempts start over; the place in the order stays. The fence continues to grow, so that no key made of a fence
   * occurs twice. `conflict` while the subject has an unfinished job of the kind.
   */
  restart(input: {
    kind: string;
    subjectId: string;
    orderKey: string;
    orderSequence: number;
    traceparent?: string | undefined;
    device?: DeviceWish;
  }): Promise<Job>;
  /**
   * Claims at most `limit` jobs that are due, those of the first kinds first, in order, with `for update skip locked`.
   * Without `devices` whatever a job wishes for is ignored. Not inside a transaction.
   */
  claim(input: {
    kinds: readonly string[];
    workerId: string;
    leaseMs: number;
    limit: number;
    devices?: DeviceClaim | undefined;
  }): Promise<Job[]>;
  /** Extends the lease; returns whether cancel was requested. Throws `conflict` when the claim is lost. */
  heartbeat(claim: Claim, leaseMs: number): Promise<{ cancelRequested: boolean }>;
  /**
   * Throws `conflict` when the claim is lost; inside a transaction it also locks the job until the transaction ends.
   */
  confirm(claim: Claim): Promise<void>;
  /** Throws `conflict` when the claim is lost; call inside the transaction that records the result. */
  complete(claim: Claim): Promise<void>;
  /**
   * Requeues after `delayMs` with one more attempt. Ends the job as failed if no attempt is left or the delay is
   * `never`. Returns the state.
   */
  fail(claim: Claim, error: string, delayMs: number | 'never'): Promise<JobState>;
  /** Requeues after `delayMs` without counting an attempt. */
  defer(claim: Claim, delayMs: number): Promise<void>;
  /** Ends the job as cancelled. */
  cancelled(claim: Claim): Promise<void>;
  /**
   * Ends a held or queued job as cancelled and marks a running one. Returns the newest job's state afterwards;
   * undefined if there never was one.
   */
  requestCancel(kind: string, subjectId: string): Promise<JobState | undefined>;
  /** Requeues running jobs whose lease ended, counting a lost lease; ends those that lost too many. Returns both. */
  reap(): Promise<{ requeued: Job[]; ended: Job[] }>;
  /**
   * Like `reap`, for running jobs whose worker id has the prefix, whatever their lease. For a restart, when no other
   * process can hold them. They count a lost lease too, because a job may be the cause of the crash.
   */
  requeueOwn(workerIdPrefix: string): Promise<{ requeued: Job[]; ended: Job[] }>;
  /** The newest job of the subject. */
  find(kind: string, subjectId: string): Promise<Job | undefined>;
  /** Removes some jobs that finished before the time; returns their number, 0 when none is left. */
  prune(finishedBefore: Date): Promise<number>;
  count(): Promise<readonly JobCount[]>;
  /**
   * By kind and wish: the longest time that a claimable job has waited, since it was due and the one before it in its
   * order had ended. Kinds and wishes without such a job are left out.
   */
  oldestQueued(): Promise<readonly JobWait[]>;
}
