import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Claim, Job, JobState } from '../catalog/contract/work/job-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { JobEvent } from './job-event.ts';

/** Callbacks of the subjects' owner for jobs that end without a result. */
export interface EndHooks {
  /**
   * The job has failed for good: no tries are left, it lost too many leases, or the error is permanent. The callback
   * marks the subject through `tx`, the transaction that ends the job, so that both happen once or neither. `conflict`
   * and `not-found` mean that the subject needs no mark.
   */
  readonly onFailed?: (tx: Catalog, job: Job, error: FirnError) => Promise<void>;
  /** Like `onFailed`, for a job that the worker ended as cancelled. */
  readonly onCancelled?: (tx: Catalog, job: Job) => Promise<void>;
  readonly onEvent?: (event: JobEvent) => void;
}

/**
 * Records a failed try; after the last one also marks the subject. Returns the job's state. `conflict` when the claim
 * is lost.
 */
export async function failJob(
  catalog: Catalog,
  hooks: EndHooks,
  { job, claim, error, delayMs }: { job: Job; claim: Claim; error: unknown; delayMs: number | 'never' },
): Promise<JobState> {
  const failure = failureOf(error);
  return catalog.transaction(async (tx) => {
    const state = await tx.jobs.fail(claim, `${failure.code}: ${failure.message}`, delayMs);
    if (state === 'failed') await marking(hooks, job, hooks.onFailed?.(tx, job, failure));
    return state;
  });
}

/**
 * Ends a claim as cancelled and marks the subject. `conflict` when the claim is lost, or the handler ended it itself.
 */
export async function cancelJob(
  catalog: Catalog,
  hooks: EndHooks,
  { job, claim }: { job: Job; claim: Claim },
): Promise<void> {
  await catalog.transaction(async (tx) => {
    await tx.jobs.cancelled(claim);
    await marking(hooks, job, hooks.onCancelled?.(tx, job));
  });
}

/** Takes jobs back from dead workers, and marks the subjects of those that ended by it. */
export async function takeBackJobs(
  catalog: Catalog,
  hooks: EndHooks,
  take: (tx: Catalog) => Promise<{ requeued: Job[]; ended: Job[] }>,
): Promise<void> {
  const { requeued, ended } = await catalog.transaction(async (tx) => {
    const taken = await take(tx);
    for (const job of taken.ended)
      await marking(
        hooks,
        job,
        hooks.onFailed?.(
          tx,
          job,
          new FirnError('internal', `The work was interrupted ${job.leasesLost} times and was given up.`),
        ),
      );
    return taken;
  });
  for (const job of requeued) hooks.onEvent?.({ kind: 'taken-back', job, final: false });
  for (const job of ended) hooks.onEvent?.({ kind: 'taken-back', job, final: true });
}

/** If the subject does not exist, or is in a terminal state already, the job must still be able to end. */
async function marking(hooks: EndHooks, job: Job, marked: Promise<void> | undefined): Promise<void> {
  try {
    await marked;
  } catch (error) {
    if (!(error instanceof FirnError) || (error.code !== 'conflict' && error.code !== 'not-found')) throw error;
    hooks.onEvent?.({ kind: 'trouble', during: 'subject', error, job });
  }
}

/** The publishable form of an error: a FirnError as it is, a fixed sentence for any other. */
function failureOf(error: unknown): FirnError {
  return error instanceof FirnError
    ? error
    : new FirnError('internal', 'Something went wrong inside the server.', { cause: error });
}
