import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Claim, Job } from '../catalog/contract/work/job-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { backoffMs, type BackoffPolicy } from './backoff.ts';
import { cancelJob, failJob, type EndHooks } from './end-job.ts';
import { abortWhy } from './job-aborted.ts';
import type { JobOutcome } from './job-handler.ts';
import type { LeaseKeeper } from './lease-keeper.ts';

/**
 * Pause in ms before a job that failed with `unavailable` is retried. No try is counted, however long the server is
 * unreachable: the job is not to blame.
 */
const unavailablePauseMs = 15_000;

export interface OutcomeRecorderOptions extends EndHooks {
  readonly catalog: Catalog;
  readonly backoff: BackoffPolicy;
  readonly isPermanent: (error: unknown) => boolean;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * Records in the catalog how a handler ended. No verb rejects: an outcome that cannot be recorded is reported, and the
 * lease expires.
 */
export class OutcomeRecorder {
  readonly #options: OutcomeRecorderOptions;

  constructor(options: OutcomeRecorderOptions) {
    this.#options = options;
  }

  async returned(job: Job, claim: Claim, outcome: JobOutcome, tookMs: number): Promise<void> {
    switch (outcome.kind) {
      case 'done':
        return this.#options.onEvent?.({ kind: 'finished', job, outcome: 'done', tookMs });
      case 'defer':
        return this.#deferred(job, claim, outcome.delayMs, tookMs);
      case 'cancelled':
        return this.#cancelled(job, claim, tookMs);
    }
  }

  async threw(job: Job, claim: Claim, signal: AbortSignal, error: unknown, tookMs: number): Promise<void> {
    switch (abortWhy(signal)) {
      case 'lost-lease':
        return this.#options.onEvent?.({ kind: 'lost', job });
      case 'shutdown':
        return this.#deferred(job, claim, 0, tookMs);
      case 'cancel':
        return this.#cancelled(job, claim, tookMs);
      case undefined:
        return this.#failed(job, claim, error);
    }
  }

  /** Requeues a job whose handler did not stop in time. */
  async giveBack(job: Job, claim: Claim, keeper: LeaseKeeper): Promise<void> {
    await keeper.end();
    await this.#recording(job, () => this.#options.catalog.jobs.defer(claim, 0));
  }

  async #deferred(job: Job, claim: Claim, delayMs: number, tookMs: number): Promise<void> {
    await this.#recording(job, async () => {
      await this.#options.catalog.jobs.defer(claim, delayMs);
      this.#options.onEvent?.({ kind: 'finished', job, outcome: 'deferred', tookMs });
    });
  }

  async #cancelled(job: Job, claim: Claim, tookMs: number): Promise<void> {
    const { catalog, onEvent } = this.#options;
    await this.#recording(job, async () => {
      const now = await catalog.jobs.find(job.kind, job.subjectId);
      const endedByHandler = now?.id === job.id && now.fence === claim.fence && now.state === 'cancelled';
      if (!endedByHandler) await cancelJob(catalog, this.#options, { job, claim });
      onEvent?.({ kind: 'finished', job, outcome: 'cancelled', tookMs });
    });
  }

  async #failed(job: Job, claim: Claim, error: unknown): Promise<void> {
    const { catalog, backoff, random, isPermanent, onEvent } = this.#options;
    await this.#recording(job, async () => {
      if (error instanceof FirnError && error.code === 'unavailable') {
        await catalog.jobs.defer(claim, unavailablePauseMs);
        return onEvent?.({ kind: 'failed', job, error, final: false, delayMs: unavailablePauseMs });
      }
      const delayMs = isPermanent(error) ? 'never' : backoffMs(backoff, job.attempts + 1, random());
      const final = (await failJob(catalog, this.#options, { job, claim, error, delayMs })) === 'failed';
      onEvent?.({ kind: 'failed', job, error, final, ...(!final && delayMs !== 'never' && { delayMs }) });
    });
  }

  async #recording(job: Job, record: () => Promise<void>): Promise<void> {
    try {
      await record();
    } catch (error) {
      const lost = error instanceof FirnError && error.code === 'conflict';
      this.#options.onEvent?.(lost ? { kind: 'lost', job } : { kind: 'trouble', during: 'record', error, job });
    }
  }
}
