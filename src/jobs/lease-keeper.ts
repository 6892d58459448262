import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Claim, Job } from '../catalog/contract/work/job-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { JobAborted } from './job-aborted.ts';
import type { Timers } from './timers.ts';

export interface LeaseKeeperOptions {
  readonly jobs: Catalog['jobs'];
  readonly job: Job;
  readonly claim: Claim;
  readonly leaseMs: number;
  readonly timers: Timers;
  /** Called for a heartbeat that failed without losing the claim; the lease may still hold. */
  readonly onError: (error: unknown) => void;
}

/** Heartbeats per lease: two may fail before it ends. */
const heartbeatsPerLease = 3;

/**
 * Renews the lease of one running job and aborts the handler's signal if the job was cancelled or the lease lost. It is
 * lost if the catalog says so, or if no heartbeat succeeded for a whole lease.
 */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #controller = new AbortController();
  readonly #stopTimer: () => void;
  #keptAtMs: number;
  #beating: Promise<void> | undefined;
  #ended = false;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#keptAtMs = options.timers.nowMs();
    if (options.job.cancelRequested) this.abort(new JobAborted('cancel'));
    this.#stopTimer = options.timers.every(options.leaseMs / heartbeatsPerLease, () => void this.beat());
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first reason stays. */
  abort(reason: JobAborted): void {
    if (!this.#controller.signal.aborted) this.#controller.abort(reason);
  }

  /** Renews the lease now, or joins a renewal in progress. Never rejects. */
  beat(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  /** Once it resolves, no renewal runs or follows. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#stopTimer();
    await this.#beating;
  }

  async #beat(): Promise<void> {
    const { jobs, claim, leaseMs, timers, onError } = this.#options;
    const askedAtMs = timers.nowMs();
    try {
      const { cancelRequested } = await jobs.heartbeat(claim, leaseMs);
      this.#keptAtMs = askedAtMs;
      if (cancelRequested) this.abort(new JobAborted('cancel'));
    } catch (error) {
      if (error instanceof FirnError && error.code === 'conflict') return this.#notHeld();
      onError(error);
      if (timers.nowMs() - this.#keptAtMs >= leaseMs) this.abort(new JobAborted('lost-lease'));
    }
  }

  /** The claim no longer holds. It is lost, unless the handler has just ended the job and still has something to do. */
  async #notHeld(): Promise<void> {
    const { jobs, job, claim, onError } = this.#options;
    try {
      const now = await jobs.find(job.kind, job.subjectId);
      const endedHere =
        now?.id === job.id && now.fence === claim.fence && (now.state === 'done' || now.state === 'cancelled');
      if (!endedHere) this.abort(new JobAborted('lost-lease'));
    } catch (error) {
      onError(error);
      this.abort(new JobAborted('lost-lease'));
    }
  }
}
