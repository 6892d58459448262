import type { Catalog } from '../catalog/contract/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { ProbedEvaluator } from '../evaluate/evaluator.ts';
import type { Probe, Probes, WorkersSeen } from '../http/watch/readiness.ts';
import type { JobWorker } from '../jobs/job-worker.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { livingMs } from '../upkeep/announce-process.ts';

/**
 * A claim loop that has not looked at the queue for so long stands still, in ms; it looks every second, and one look
 * waits for the database at most about as long.
 */
const claimsStaleMs = 60_000;

export interface ProbedParts {
  readonly catalog: Catalog;
  readonly store: Pick<ObjectStore, 'probe'>;
  readonly evaluator: ProbedEvaluator;
  readonly isGateway: boolean;
  /** Absent in a process that takes no jobs. */
  readonly worker: Pick<JobWorker, 'lookedMsAgo'> | undefined;
  /** Living workers that a gateway needs; with 0 it wants one. */
  readonly workersMin: number;
  readonly isStopping: () => boolean;
}

/** Whether the worker looks at the queue as it should. */
export function isClaiming(worker: Pick<JobWorker, 'lookedMsAgo'>): boolean {
  return worker.lookedMsAgo() < claimsStaleMs;
}

/**
 * What /readyz asks. A worker cannot do without its claim loop and evaluations; a gateway goes on without workers,
 * unless it was told otherwise: uploads are kept, and downloads need none. In a process that is both, the gateway
 * counts.
 */
export function probesOf({
  catalog,
  store,
  evaluator,
  isGateway,
  worker,
  workersMin,
  isStopping,
}: ProbedParts): Probes {
  const seeWorkers = async (): Promise<WorkersSeen> => {
    const { count: living, ...signs } = await catalog.processes.living('worker', livingMs);
    if (!('oldestSignMs' in signs)) return { living };
    return { living, oldestSignSeconds: signs.oldestSignMs / 1000, newestSignSeconds: signs.newestSignMs / 1000 };
  };
  const always: Record<string, Probe> = {
    process: async () => {
      if (isStopping()) throw new FirnError('overloaded', 'The process is shutting down.');
    },
    catalog: () => catalog.probe(),
    store: () => store.probe(),
  };
  const ofWorker: Record<string, Probe> =
    worker === undefined
      ? {}
      : {
          claims: async () => {
            if (!isClaiming(worker)) throw new FirnError('internal', 'The worker does not look at the queue.');
          },
          evaluation: () => evaluator.probe(),
        };
  if (!isGateway) return { needed: { ...always, ...ofWorker }, wanted: {} };
  const workers: Probe = async () => {
    const { living } = await seeWorkers();
    if (living < Math.max(1, workersMin)) throw new FirnError('unavailable', `${living} workers live.`);
  };
  return workersMin > 0
    ? { needed: { ...always, workers }, wanted: ofWorker, workers: seeWorkers }
    : { needed: always, wanted: { workers, ...ofWorker }, workers: seeWorkers };
}
