import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { livingMs } from '../catalog/contract/work/process-records.ts';
import type { CompressContext } from '../compress/compress-context.ts';
import { markEncodeEnded, runEncodeJob } from '../compress/encode-job.ts';
import { markEstimateEnded, runEstimateJob } from '../compress/estimate/estimate-job.ts';
import { commitNative } from '../hub/commit/commit-native.ts';
import { publishCompressed } from '../hub/commit/publish-compressed.ts';
import { encodeJobKind, estimateJobKind } from '../ingest/ingest-context.ts';
import { startWorker, type JobWorker } from '../jobs/job-worker.ts';
import { tracedHandler } from '../jobs/traced-handler.ts';
import { markMergeEnded, mergeJobKind, queueMerge, runMergeJob, type MergeContext } from '../upkeep/merge/merge-run.ts';
import { countDeviceFailures } from '../upkeep/work-metrics.ts';
import { logJobEvent } from './log-job-event.ts';
import { workerDevices } from './worker-devices.ts';
import { type Parts, restorerOf } from './open-parts.ts';
import { deviceFailuresToLog } from './watch-device.ts';

/** Interval at which the queue is checked if nothing wakes the worker, in ms. */
const pollMs = 1000;
/**
 * Blocks of one encode that are processed at once, per thread of the native pool: the next is read while one is
 * processed.
 */
const blocksPerThread = 2;

/** Claims and runs jobs of all kinds: encoding, estimating and merging. */
export function startJobWorker(parts: Parts): JobWorker {
  const { config, log, catalog, progress } = parts;
  const { tracer } = parts.watch;
  const alone = config.database === undefined;
  const compress = compressContext(parts);
  const merge = mergeContext(parts, compress);
  const logDeviceFailures = deviceFailuresToLog(parts.core, log);
  return startWorker({
    catalog,
    handlers: {
      [encodeJobKind]: tracedHandler(tracer, {
        run: (job, { claim, signal }) => runEncodeJob(compress, job.subjectId, claim, signal),
      }),
      // Claimed only while no checkpoint waits.
      [estimateJobKind]: tracedHandler(tracer, {
        run: (job, { claim, signal }) => runEstimateJob(compress, job.subjectId, claim, signal),
      }),
      // Claimed only while no checkpoint waits. Jobs queued before merging was switched off wait until it is on again.
      ...(config.mergeDeltas && {
        [mergeJobKind]: tracedHandler(tracer, {
          run: (job, { claim, signal }) => runMergeJob(merge, job.subjectId, claim, signal),
        }),
      }),
    },
    // PGlite belongs to this process alone, so jobs of an earlier process can be taken back at once. Otherwise their
    // leases have to expire.
    ...(alone ? { workerId: `embedded-${randomUUID()}`, takeOverPrefix: 'embedded-' } : { workerId: parts.processId }),
    concurrency: config.encodeConcurrency,
    leaseMs: config.leaseMs,
    pollMs,
    devices: async () => ({ kinds: await workerDevices(parts), waitMs: config.deviceWaitMs, livingMs }),
    onFailed: async (tx, job, error) => {
      if (job.kind === encodeJobKind) await markEncodeEnded(tx, job.subjectId, { as: 'failed', error });
      else if (job.kind === estimateJobKind) await markEstimateEnded(tx, job.subjectId, { as: 'failed', error });
      else await markMergeEnded(tx, job.subjectId);
    },
    onCancelled: async (tx, job) => {
      if (job.kind === encodeJobKind) await markEncodeEnded(tx, job.subjectId, { as: 'cancelled' });
      if (job.kind === estimateJobKind) await markEstimateEnded(tx, job.subjectId, { as: 'cancelled' });
    },
    onEvent: (event) => {
      // After the transaction that ended the job, so that subscribers see the new state.
      if (event.kind === 'finished' && event.job.kind === encodeJobKind)
        void showOnHub(catalog, event.job.subjectId).catch((err: unknown) => log.warn({ err }, 'not published yet'));
      if (event.job?.kind === encodeJobKind) progress.publish(event.job.subjectId, { type: 'changed' });
      logDeviceFailures();
      void logJobEvent(event, catalog, log);
    },
  });
}

/** The upkeep does again what fails here. */
async function showOnHub(catalog: Parts['catalog'], checkpointId: string): Promise<void> {
  await publishCompressed(catalog, checkpointId);
  await commitNative(catalog, checkpointId);
}

function compressContext({
  config,
  core,
  catalog,
  store,
  evaluator,
  restorer,
  graphs,
  progress,
  work,
  watch,
  log,
  encodeCache,
  scratchMemory,
}: Parts): CompressContext {
  const { threads } = core.stats();
  const countDeviceFailure = countDeviceFailures(watch.metrics);
  return {
    catalog,
    store,
    core,
    evaluator,
    restorer,
    graphs,
    workDirectory: work.path,
    scratchMemory,
    freshRestorer: () => restorerOf(core, store, config.restoreCacheMaxBytes),
    cacheMaxBytes: config.encodeCacheMaxBytes,
    cacheCounts: encodeCache,
    tracer: watch.tracer,
    chainLengthMax: config.chainLengthMax,
    blockParallel: blocksPerThread * Math.max(threads, Math.min(2, availableParallelism())),
    ...(config.mergeDeltas && { afterCommit: (tx, { runId }) => queueMerge(tx, runId) }),
    onDeviceFailure: (err, checkpointId) => {
      countDeviceFailure();
      log.warn(
        { err, checkpointId },
        'an evaluation failed on the GPU; the checkpoint is begun again on the processor',
      );
    },
    publish: (checkpointId, note) => progress.publish(checkpointId, note),
  };
}

function mergeContext(
  { catalog, store, core, config, watch }: Parts,
  { blockParallel }: CompressContext,
): MergeContext {
  return {
    catalog,
    store,
    core,
    freshRestorer: () => restorerOf(core, store, 0),
    cacheMaxBytes: config.encodeCacheMaxBytes,
    blockParallel,
    tracer: watch.tracer,
  };
}
