import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Claim, DeviceClaim, Job } from '../catalog/contract/work/job-records.ts';
import { defaultBackoff, type BackoffPolicy } from './backoff.ts';
import { takeBackJobs, type EndHooks } from './end-job.ts';
import { JobAborted } from './job-aborted.ts';
import type { JobHandler } from './job-handler.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { isPermanent } from './permanent-failure.ts';
import { OutcomeRecorder } from './outcome-recorder.ts';
import { systemTimers, type Timers } from './timers.ts';

export interface JobWorkerOptions extends EndHooks {
  readonly catalog: Catalog;
  /** Handlers by job kind, most urgent first. Only these kinds are claimed. */
  readonly handlers: Readonly<Record<string, JobHandler>>;
  /** Unique among living workers; earlier lives of the process may share its prefix (`takeOverPrefix`). */
  readonly workerId: string;
  /** Most jobs at a time. */
  readonly concurrency: number;
  /** How long a silent worker holds its jobs, in ms. */
  readonly leaseMs: number;
  /** Interval at which the queue is checked without `wake`, in ms; lapsed leases are taken back then, too. */
  readonly pollMs: number;
  /** What it has for jobs, asked before each claim; jobs' wishes are ignored when absent. */
  readonly devices?: () => Promise<DeviceClaim>;
  readonly backoff?: BackoffPolicy;
  /**
   * Set only if no other process uses the catalog: before the first claim, running jobs of workers with this prefix are
   * taken back.
   */
  readonly takeOverPrefix?: string;
  readonly isPermanent?: (error: unknown) => boolean;
  readonly timers?: Timers;
  /** In [0, 1), for jitter. */
  readonly random?: () => number;
}

interface Running {
  readonly job: Job;
  readonly claim: Claim;
  readonly keeper: LeaseKeeper;
  readonly finished: Promise<void>;
}

/** Starts a worker; it claims at once. */
export function startWorker(options: JobWorkerOptions): JobWorker {
  return new JobWorker(options);
}

/**
 * Claims jobs from the catalog's queue and runs their handlers, `concurrency` at a time. A single loop checks the
 * queue: on `wake`, every `pollMs`, and when a job ends. It never rejects and never stops on an error; errors are
 * reported to `onEvent`.
 */
export class JobWorker {
  readonly #options: JobWorkerOptions;
  readonly #timers: Timers;
  readonly #recorder: OutcomeRecorder;
  readonly #running = new Set<Running>();
  readonly #stopPolling: () => void;
  /** The current loop, or the last one. */
  #looking: Promise<void> = Promise.resolve();
  #loopRuns = false;
  /** The next action of the loop: claim, or take back and then claim. */
  #todo: 'nothing' | 'claim' | 'take-back' = 'nothing';
  #stopping = false;
  #stopped: Promise<void> | undefined;
  #tookOver: boolean;
  #lookedAtMs: number;

  constructor(options: JobWorkerOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#lookedAtMs = this.#timers.nowMs();
    this.#recorder = new OutcomeRecorder({
      ...options,
      backoff: options.backoff ?? defaultBackoff,
      isPermanent: options.isPermanent ?? isPermanent,
      random: options.random ?? Math.random,
    });
    this.#tookOver = options.takeOverPrefix === undefined;
    this.#stopPolling = this.#timers.every(options.pollMs, () => this.#look('take-back'));
    this.#look('take-back');
  }

  /** Checks the queue now, and the running jobs for a cancel. Call it after the transaction that enqueued. */
  wake(): void {
    for (const { keeper } of this.#running) void keeper.beat();
    this.#look('claim');
  }

  /**
   * Milliseconds since it last began to check the queue: little more than `pollMs` while it lives, whether the catalog
   * answers or not.
   */
  lookedMsAgo(): number {
    return this.#timers.nowMs() - this.#lookedAtMs;
  }

  /**
   * Resolves once nothing runs and the last check found nothing to claim. Does not wait for jobs whose time has not
   * come.
   */
  async idle(): Promise<void> {
    for (;;) {
      this.#look('claim');
      await this.#looking;
      if (this.#running.size === 0) return;
      await Promise.race([...this.#running].map(({ finished }) => finished));
    }
  }

  /**
   * Claims nothing more, aborts the handlers and waits at most `deadlineMs` for them. Interrupted jobs go back to the
   * queue without counting a try. A job whose handler does not end in time is requeued all the same: its claim no
   * longer holds, so the handler can record nothing. A second call waits for the first.
   */
  stop(deadlineMs: number): Promise<void> {
    this.#stopped ??= this.#stop(deadlineMs);
    return this.#stopped;
  }

  async #stop(deadlineMs: number): Promise<void> {
    this.#stopping = true;
    this.#stopPolling();
    await this.#looking;
    for (const { keeper } of this.#running) keeper.abort(new JobAborted('shutdown'));
    await this.#settledWithin(deadlineMs);
    await Promise.all([...this.#running].map(({ keeper, job, claim }) => this.#recorder.giveBack(job, claim, keeper)));
  }

  async #settledWithin(deadlineMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.#timers.after(deadlineMs, resolve);
    });
    await Promise.race([Promise.all([...this.#running].map(({ finished }) => finished)), late]);
    cancel();
  }

  #look(what: 'claim' | 'take-back'): void {
    if (this.#stopping) return;
    if (this.#todo !== 'take-back') this.#todo = this.#tookOver ? what : 'take-back';
    if (this.#loopRuns) return;
    this.#loopRuns = true;
    this.#looking = this.#loop();
  }

  async #loop(): Promise<void> {
    while (this.#todo !== 'nothing' && !this.#stopping) {
      const todo = this.#todo;
      this.#todo = 'nothing';
      this.#lookedAtMs = this.#timers.nowMs();
      try {
        if (todo === 'take-back') await this.#takeBack();
        await this.#claim();
      } catch (error) {
        this.#options.onEvent?.({ kind: 'trouble', during: 'poll', error });
      }
    }
    this.#loopRuns = false;
  }

  /**
   * After a blocked event loop this worker's own leases may have lapsed: renew them before lapsed ones are taken back.
   */
  async #takeBack(): Promise<void> {
    const { catalog, takeOverPrefix } = this.#options;
    if (!this.#tookOver) {
      await takeBackJobs(catalog, this.#options, (tx) => tx.jobs.requeueOwn(takeOverPrefix!));
      this.#tookOver = true;
    }
    await Promise.all([...this.#running].map(({ keeper }) => keeper.beat()));
    await takeBackJobs(catalog, this.#options, (tx) => tx.jobs.reap());
  }

  async #claim(): Promise<void> {
    const { catalog, handlers, workerId, leaseMs, concurrency } = this.#options;
    const devices = await this.#options.devices?.();
    const limit = concurrency - this.#running.size;
    if (limit < 1) return;
    for (const job of await catalog.jobs.claim({ kinds: Object.keys(handlers), workerId, leaseMs, limit, devices }))
      this.#start(job);
  }

  #start(job: Job): void {
    const { catalog, workerId, leaseMs, onEvent } = this.#options;
    const claim: Claim = { jobId: job.id, workerId, fence: job.fence };
    const keeper = new LeaseKeeper({
      jobs: catalog.jobs,
      job,
      claim,
      leaseMs,
      timers: this.#timers,
      onError: (error) => onEvent?.({ kind: 'trouble', during: 'heartbeat', error, job }),
    });
    onEvent?.({ kind: 'started', job });
    const running: Running = {
      job,
      claim,
      keeper,
      finished: this.#run(job, claim, keeper).then(() => {
        this.#running.delete(running);
        this.#look('claim');
      }),
    };
    this.#running.add(running);
  }

  /** Never rejects. */
  async #run(job: Job, claim: Claim, keeper: LeaseKeeper): Promise<void> {
    const startedMs = this.#timers.nowMs();
    try {
      const outcome = await this.#options.handlers[job.kind]!.run(job, { signal: keeper.signal, claim });
      await keeper.end();
      await this.#recorder.returned(job, claim, outcome, this.#timers.nowMs() - startedMs);
    } catch (error) {
      await keeper.end();
      await this.#recorder.threw(job, claim, keeper.signal, error, this.#timers.nowMs() - startedMs);
    }
  }
}
