export const jobStates = ['held', 'queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly subjectId: string;
  readonly state: JobState;
  /**
   * Jobs of one order key run one at a time, by orderSequence; an unfinished earlier one (held, queued, running) blocks
   * the later.
   */
  readonly orderKey?: string;
  readonly orderSequence?: number;
  readonly runAt: Date;
  /** Failed tries; lost leases are counted apart. */
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
  /** W3C traceparent of what let it begin. */
  readonly traceparent?: string;
}
/** Proof of a claim; every later verb checks it. */
export interface Claim {
  readonly jobId: string;
  readonly workerId: string;
  readonly fence: number;
}
/** How many jobs of a kind are in a state. */
export interface JobCount {
  readonly kind: string;
  readonly state: JobState;
  readonly count: number;
}
export interface JobRecords {
  /**
   * `held` jobs keep their place in the order but are not claimable until `release`. `conflict` while the subject has
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
  }): Promise<Job>;
  /** Nothing happens when it is queued or running; `conflict` when the subject has no unfinished job of the kind. */
  release(kind: string, subjectId: string, traceparent?: string): Promise<void>;
  /**
   * Queues ended work of the subject anew: its newest job of the kind, or one as given where that is gone. Attempts
   * start over; its place in the order stays, and its fence grows on, so that no key made of a fence comes twice.
   * `conflict` while the subject has an unfinished job of the kind.
   */
  restart(input: {
    kind: string;
    subjectId: string;
    orderKey: string;
    orderSequence: number;
    traceparent?: string | undefined;
  }): Promise<Job>;
  /**
   * Takes at most `limit` jobs whose time has come, those of the first kinds first, in order, with
   * `for update skip locked`. Not inside a transaction.
   */
  claim(input: { kinds: readonly string[]; workerId: string; leaseMs: number; limit: number }): Promise<Job[]>;
  /** Extends the lease; returns whether cancel was requested. Throws `conflict` when the claim is lost. */
  heartbeat(claim: Claim, leaseMs: number): Promise<{ cancelRequested: boolean }>;
  /** Throws `conflict` when the claim is lost; inside a transaction nobody takes it until that ends. */
  confirm(claim: Claim): Promise<void>;
  /** Throws `conflict` when the claim is lost; call inside the transaction that records the result. */
  complete(claim: Claim): Promise<void>;
  /**
   * Requeues after `delayMs` with one more attempt, or ends as failed when none is left or the delay is `never`;
   * returns the state.
   */
  fail(claim: Claim, error: string, delayMs: number | 'never'): Promise<JobState>;
  /** Requeues after `delayMs` without counting anything. */
  defer(claim: Claim, delayMs: number): Promise<void>;
  /** Ends the job as cancelled. */
  cancelled(claim: Claim): Promise<void>;
  /**
   * Ends a held or queued job as cancelled and marks a running one. Returns the newest job's state then; undefined when
   * there never was one.
   */
  requestCancel(kind: string, subjectId: string): Promise<JobState | undefined>;
  /** Requeues running jobs whose lease ended, counting a lost lease; ends those with too many. Returns both. */
  reap(): Promise<{ requeued: Job[]; ended: Job[] }>;
  /**
   * The same for running jobs of a worker id prefix, whatever their lease: after a restart, where no other process can
   * hold them. They are counted too, since a job may be what takes the process down.
   */
  requeueOwn(workerIdPrefix: string): Promise<{ requeued: Job[]; ended: Job[] }>;
  /** The newest job of the subject. */
  find(kind: string, subjectId: string): Promise<Job | undefined>;
  /** Removes some jobs that finished before; returns how many, 0 when none is left. */
  prune(finishedBefore: Date): Promise<number>;
  count(): Promise<readonly JobCount[]>;
  /**
   * By kind: how long the job has waited that could have been claimed for longest, in seconds; kinds without one are
   * left out.
   */
  oldestQueuedSeconds(): Promise<Readonly<Record<string, number>>>;
}
