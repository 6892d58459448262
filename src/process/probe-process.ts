import type { Catalog } from '../catalog/contract/catalog.ts';
import { livingMs } from '../catalog/contract/work/process-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { ProbedEvaluator } from '../evaluate/evaluator.ts';
import type { DeviceSeen, Probe, Probes, WorkersSeen } from '../http/watch/readiness.ts';
import type { JobWorker } from '../jobs/job-worker.ts';
import type { NativeCore } from '../native/core.ts';
import type { ObjectStore } from '../store/object-store.ts';

/**
 * A claim loop that has not checked the queue for this long, in ms, counts as stuck. It checks every second, and one
 * check waits at most about as long for the database.
 */
const claimsStaleMs = 60_000;

export interface ProbedParts {
  readonly catalog: Catalog;
  readonly store: Pick<ObjectStore, 'probe'>;
  readonly evaluator: ProbedEvaluator;
  readonly core: Pick<NativeCore, 'deviceFigures'>;
  readonly isGateway: boolean;
  /** Absent in a process that claims no jobs. */
  readonly worker: Pick<JobWorker, 'lookedMsAgo'> | undefined;
  /** Living workers that a gateway needs to be ready; with 0 it only reports missing ones. */
  readonly workersMin: number;
  readonly isStopping: () => boolean;
}

/** Whether the worker checks the queue as it should. */
export function isClaiming(worker: Pick<JobWorker, 'lookedMsAgo'>): boolean {
  return worker.lookedMsAgo() < claimsStaleMs;
}

/**
 * The probes of /readyz. A worker needs its claim loop and evaluations. A gateway works without workers unless
 * configured otherwise: uploads are stored, and downloads need none. A process with both roles is probed as a gateway.
 */
export function probesOf({
  catalog,
  store,
  evaluator,
  core,
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
  // Without its device a worker is slower, and does all that it should.
  const ofDevice: Record<string, Probe> =
    worker === undefined || core.deviceFigures() === undefined
      ? {}
      : {
          device: async () => {
            const { lost, lastFailure } = core.deviceFigures()!;
            if (lost) throw new FirnError('internal', 'The device has failed.', { detail: lastFailure });
          },
        };
  const device = worker === undefined ? undefined : { device: () => seenDevice(core) };
  if (!isGateway) return { needed: { ...always, ...ofWorker }, wanted: ofDevice, ...device };
  const workers: Probe = async () => {
    const { living } = await seeWorkers();
    if (living < Math.max(1, workersMin)) throw new FirnError('unavailable', `${living} workers live.`);
  };
  return workersMin > 0
    ? { needed: { ...always, workers }, wanted: { ...ofWorker, ...ofDevice }, workers: seeWorkers, ...device }
    : { needed: always, wanted: { workers, ...ofWorker, ...ofDevice }, workers: seeWorkers, ...device };
}

function seenDevice(core: Pick<NativeCore, 'deviceFigures'>): DeviceSeen | undefined {
  const figures = core.deviceFigures();
  if (figures === undefined) return undefined;
  const { name, budgetBytes: memoryBytes, usedBytes: memoryUsedBytes, busySeconds } = figures;
  return { name, memoryBytes, memoryUsedBytes, busySeconds };
}
