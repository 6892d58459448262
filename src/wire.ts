import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { openAccess, tokenAccess } from './access/access.ts';
import { createFirstToken } from './access/create-token.ts';
import { RequestLimits } from './access/request-limits.ts';
import { openPgliteCatalog } from './catalog/open-pglite.ts';
import type { Catalog } from './catalog/catalog.ts';
import { FirnError } from './checkpoint/firn-error.ts';
import { checkEvalSet } from './compress/check-eval-set.ts';
import type { CompressContext } from './compress/compress-context.ts';
import type { GraphCache } from './compress/describe-local-graph.ts';
import { markEncodeEnded, runEncodeJob } from './compress/encode-job.ts';
import { evalSetDirectory } from './compress/local-eval-set.ts';
import type { Config } from './config.ts';
import { createEvaluator } from './evaluate/create-evaluator.ts';
import type { Evaluator } from './evaluate/evaluator.ts';
import type { Admittance } from './http/admit.ts';
import { createApp } from './http/app.ts';
import type { Gateway } from './http/gateway.ts';
import { problemKinds } from './http/problem-status.ts';
import { createProgressBus, type ProgressBus } from './http/progress-bus.ts';
import { startServer } from './http/start-server.ts';
import { cancelCheckpoint } from './ingest/cancel-checkpoint.ts';
import { createRun } from './ingest/create-run.ts';
import { expireReservations } from './ingest/expire-reservations.ts';
import { createIngestContext, encodeJobKind, type IngestContext } from './ingest/ingest-context.ts';
import { createIngest } from './ingest/ingest.ts';
import { sweepStaged } from './ingest/sweep-staged.ts';
import { startWorker, type JobWorker } from './jobs/job-worker.ts';
import { loadCore } from './native/load-core.ts';
import type { NativeCore } from './native/core.ts';
import { ByteCache } from './restore/byte-cache.ts';
import { Downloads } from './restore/downloads.ts';
import { Restorer } from './restore/restorer.ts';
import { openFilesystemStore } from './store/filesystem-store.ts';
import type { ObjectStore } from './store/object-store.ts';
import { deleteCheckpoint } from './upkeep/delete-checkpoint.ts';
import { deleteRun } from './upkeep/delete-run.ts';
import { markMergeEnded, mergeJobKind, queueMerge, runMergeJob, type MergeContext } from './upkeep/merge/merge-run.ts';
import { registerProcessMetrics } from './upkeep/process-metrics.ts';
import { reclaimHidden } from './upkeep/reclaim-hidden.ts';
import { runPeriodically, type Periodic } from './upkeep/run-periodically.ts';
import { sweepEvalSets } from './upkeep/sweep-eval-sets.ts';
import { sweepPackages } from './upkeep/sweep-packages.ts';

/** A running process. */
export interface Firn {
  readonly url: string;
  /** Of a server's first start: the text of the token that allows everything, told only here. */
  readonly firstToken?: string;
  /** Stops taking requests, lets those under way and the running jobs end within the configured time, then closes everything. */
  close(): Promise<void>;
}

/** How often the queue is looked at when nothing wakes the worker. */
const pollMs = 1000;
/** How often reservations, orphans and old rows are looked for. */
const upkeepPauseMs = 10 * 60 * 1000;
/** Finished jobs are kept this long, for whoever asks what happened. */
const jobRetentionMs = 7 * 24 * 3600 * 1000;
/** A package of this process's life without a row may be one whose encode is about to commit; verifying it and evaluating it takes far less than this. */
const packageGraceMs = 24 * 3600 * 1000;
/** Bytes of decoded package indexes kept. */
const indexCacheMaxBytes = 64 * 1024 * 1024;
/** Bytes of described eval graphs kept; one of a thousand operators takes 2 to 3 MB. */
const graphCacheMaxBytes = 64 * 1024 * 1024;
/** Blocks of one encode in work at once, per thread of the native pool: the next is read while one is worked on. */
const blocksPerThread = 2;

interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly core: NativeCore;
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly evaluator: Evaluator;
  readonly progress: ProgressBus;
  readonly restorer: Restorer;
  readonly graphs: GraphCache;
  readonly workDirectory: string;
  readonly startedAt: Date;
}

/** Builds everything and serves. The one place that knows every implementation. */
export async function wire(config: Config, log: Logger): Promise<Firn> {
  const startedAt = new Date();
  await mkdir(config.dataDirectory, { recursive: true });
  const catalog = await openPgliteCatalog({ directory: join(config.dataDirectory, 'catalog') });
  try {
    return await serve(await openParts(config, log, catalog, startedAt));
  } catch (error) {
    await catalog.close();
    throw error;
  }
}

async function openParts(config: Config, log: Logger, catalog: Catalog, startedAt: Date): Promise<Parts> {
  const core = loadCore({ queueMax: config.nativeQueueMax, ...(config.nativeThreads === undefined ? {} : { threads: config.nativeThreads }) });
  const store = await openFilesystemStore({
    folder: join(config.dataDirectory, 'objects'),
    crc32c: (bytes, seed) => core.crc32cSync(bytes, seed),
    forgetFile: (descriptor) => core.forgetFile(descriptor),
  });
  const evaluator = createEvaluator({
    parallel: config.evalParallel ?? Math.max(1, availableParallelism() - 1),
    deadlineMs: config.evalDeadlineMs,
    memoryMaxBytes: config.evalMemoryMaxBytes,
  });
  const workDirectory = join(config.dataDirectory, 'work');
  await clearWork(workDirectory);
  const restorer = new Restorer({ core, store, indexCacheBytesMax: indexCacheMaxBytes, blockCacheBytesMax: config.restoreCacheMaxBytes });
  const graphs: GraphCache = new ByteCache(graphCacheMaxBytes);
  return { config, log, core, catalog, store, evaluator, progress: createProgressBus(), restorer, graphs, workDirectory, startedAt };
}

/** What a killed encode left goes. Copies of eval sets stay: a whole one is recognised. */
async function clearWork(workDirectory: string): Promise<void> {
  await mkdir(evalSetDirectory(workDirectory), { recursive: true });
  for (const name of await readdir(workDirectory)) {
    if (join(workDirectory, name) !== evalSetDirectory(workDirectory)) await rm(join(workDirectory, name), { recursive: true, force: true });
  }
}

async function serve(parts: Parts): Promise<Firn> {
  const { config, catalog, store } = parts;
  const ingest = createIngestContext({
    catalog,
    store,
    now: () => catalog.now(),
    newKeyPart: () => randomBytes(16).toString('hex'),
    limits: {
      fileBytesMax: config.fileMaxBytes,
      stagedBytesPerRunMax: config.stagedRunMaxBytes,
      stagedBytesMax: config.stagedTotalMaxBytes,
      reservationTtlMs: config.reservationTtlMs,
    },
  });
  const worker = startJobWorker(parts);
  const upkeep = startUpkeep(parts, ingest, worker);
  try {
    const server = await startServer({ app: createApp(gateway(parts, ingest, worker)), host: config.host, port: config.port });
    // Only now: whoever cannot listen tells no token.
    const firstToken = config.access === 'tokens' ? await createFirstToken(catalog) : undefined;
    return {
      url: server.url,
      ...(firstToken !== undefined && { firstToken }),
      close: () => close(parts, [server.close(config.drainMs), worker.stop(config.drainMs), upkeep.stop(config.drainMs)]),
    };
  } catch (error) {
    // A job that was taken goes back uncounted, before whoever called ends the process.
    await Promise.allSettled([worker.stop(config.drainMs), upkeep.stop(config.drainMs)]);
    throw error;
  }
}

/** Closes what the stopping parts stand on, in any case; rejects with the first thing that went wrong. */
async function close({ evaluator, store, catalog, log }: Parts, stopping: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(stopping);
  for (const end of [() => evaluator.close(), () => store.close(), () => catalog.close()]) ends.push(...(await Promise.allSettled([end()])));
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  log.info('stopped');
}

function startJobWorker(parts: Parts): JobWorker {
  const { config, log, catalog, progress } = parts;
  const compress = compressContext(parts);
  const merge = mergeContext(parts, compress);
  return startWorker({
    catalog,
    handlers: {
      [encodeJobKind]: { run: (job, { claim, signal }) => runEncodeJob(compress, job.subjectId, claim, signal) },
      // Claimed only while no checkpoint waits. Those queued before merging was switched off wait until it is on again.
      ...(config.mergeDeltas && { [mergeJobKind]: { run: (job, { claim, signal }) => runMergeJob(merge, job.subjectId, claim, signal) } }),
    },
    workerId: `embedded-${randomUUID()}`,
    // PGlite belongs to this process alone, so whatever an earlier one was running is free.
    takeOverPrefix: 'embedded-',
    concurrency: config.encodeConcurrency,
    leaseMs: config.leaseMs,
    pollMs,
    onFailed: async (tx, job, error) => {
      if (job.kind === encodeJobKind) await markEncodeEnded(tx, job.subjectId, { as: 'failed', error });
      else await markMergeEnded(tx, job.subjectId);
    },
    onCancelled: async (tx, job) => {
      if (job.kind === encodeJobKind) await markEncodeEnded(tx, job.subjectId, { as: 'cancelled' });
    },
    onEvent: (event) => {
      // After the transaction that ended the job, so that whoever looks sees the new state.
      if (event.job?.kind === encodeJobKind) progress.publish(event.job.subjectId, { type: 'changed' });
      if (event.kind === 'failed' || event.kind === 'trouble')
        log[severityOf(event.error)]({ err: event.error, event: event.kind, jobId: event.job?.id, subjectId: event.job?.subjectId }, 'a job met an error');
      else log.info({ event: event.kind, jobId: event.job.id, subjectId: event.job.subjectId }, 'job');
    },
  });
}

/** What the uploader alone can change, such as a graph that misses weights, is told to them with the checkpoint and is no operator's error. */
function severityOf(error: unknown): 'warn' | 'error' {
  return error instanceof FirnError && problemKinds[error.code].status < 500 ? 'warn' : 'error';
}

function compressContext({ config, core, catalog, store, evaluator, restorer, graphs, progress, workDirectory }: Parts): CompressContext {
  const { threads } = core.stats();
  return {
    catalog,
    store,
    core,
    evaluator,
    restorer,
    graphs,
    workDirectory,
    freshRestorer: () => new Restorer({ core, store, indexCacheBytesMax: indexCacheMaxBytes, blockCacheBytesMax: config.restoreCacheMaxBytes }),
    cacheMaxBytes: config.encodeCacheMaxBytes,
    chainLengthMax: config.chainLengthMax,
    blockParallel: blocksPerThread * Math.max(threads, Math.min(2, availableParallelism())),
    ...(config.mergeDeltas && { afterCommit: (tx, { runId }) => queueMerge(tx, runId) }),
    publish: (checkpointId, note) => progress.publish(checkpointId, note),
  };
}

function mergeContext({ catalog, store, core, config }: Parts, { blockParallel }: CompressContext): MergeContext {
  return {
    catalog,
    store,
    core,
    freshRestorer: () => new Restorer({ core, store, indexCacheBytesMax: indexCacheMaxBytes, blockCacheBytesMax: 0 }),
    cacheMaxBytes: config.encodeCacheMaxBytes,
    blockParallel,
  };
}

function gateway(parts: Parts, ingestContext: IngestContext, worker: JobWorker): Gateway {
  const { catalog, store, core, evaluator, restorer, graphs, progress, log, workDirectory } = parts;
  const ingest = createIngest(ingestContext, (evalSet) => checkEvalSet({ store, evaluator, graphs, workDirectory }, evalSet));
  const metrics = new Registry();
  registerProcessMetrics(metrics, { catalog, core });
  const waking = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    worker.wake();
    return done;
  };
  return {
    admittance: admittance(parts),
    catalog,
    store,
    progress,
    log,
    runs: {
      create: (repository, input) =>
        createRun({ catalog, newSeed: () => seedOf(`${repository.namespace}/${repository.name}@${input.name}`) }, repository, input),
      delete: (run) => deleteRun({ catalog, store }, run),
    },
    uploads: {
      ...ingest,
      commitCheckpoint: (run, checkpoint) => waking(ingest.commitCheckpoint(run, checkpoint)),
      pushCheckpoint: (run, push) => waking(ingest.pushCheckpoint(run, push)),
      deleteEvalSet: async (evalSet) => {
        await ingest.deleteEvalSet(evalSet);
        await rm(join(evalSetDirectory(workDirectory), evalSet.id), { recursive: true, force: true });
      },
    },
    checkpoints: {
      cancel: (checkpoint) => waking(cancelCheckpoint({ catalog }, checkpoint)),
      delete: (checkpoint) => deleteCheckpoint({ catalog, store }, checkpoint),
    },
    downloads: new Downloads({ catalog, store, core, restorer }),
    probes: { catalog: () => catalog.probe(), store: () => store.probe() },
    metrics,
  };
}

function admittance({ config, catalog }: Parts): Admittance {
  const { trustProxy } = config;
  if (config.access === 'open') return { access: openAccess, trustProxy };
  const limits = new RequestLimits({
    tokenPerMinute: config.tokenPerMinute,
    anonymousPerMinute: config.anonymousPerMinute,
    concurrent: config.clientConcurrency,
  });
  return { access: tokenAccess({ catalog, now: () => new Date() }), limits, trustProxy };
}

/** Unsigned 64-bit seed in decimal, derived from what the run is called: the same pushes give the same bytes on every machine. */
function seedOf(name: string): string {
  return createHash('sha256').update(name).digest().readBigUInt64LE().toString();
}

/** Each chore on its own: one that fails is told and keeps none of the others from being done. */
function startUpkeep({ catalog, store, log, workDirectory, startedAt }: Parts, ingest: IngestContext, worker: JobWorker): Periodic {
  const onError = (error: unknown, chore: string): void => log.error({ err: error, chore }, 'upkeep met an error');
  const chores: Readonly<Record<string, (signal: AbortSignal) => Promise<number | void>>> = {
    expireReservations: async () => {
      const expired = await expireReservations(ingest);
      if (expired > 0) worker.wake();
      return expired;
    },
    reclaimHidden: (signal) => reclaimHidden({ catalog, store }, signal),
    sweepStaged: (signal) => sweepStaged(ingest, signal),
    sweepPackages: (signal) => sweepPackages({ catalog, store }, packagesSettledBefore(startedAt), signal),
    sweepEvalSets: (signal) => sweepEvalSets(catalog, evalSetDirectory(workDirectory), signal),
    pruneJobs: () => catalog.jobs.prune(new Date(Date.now() - jobRetentionMs)),
    pruneIdempotency: () => catalog.idempotency.prune(new Date()),
    tidy: () => catalog.tidy(),
  };
  return runPeriodically(
    async (signal) => {
      for (const [chore, run] of Object.entries(chores)) {
        try {
          signal.throwIfAborted();
          const count = await run(signal);
          if (typeof count === 'number' && count > 0) log.info({ chore, count }, 'upkeep');
        } catch (error) {
          if (signal.aborted) return;
          onError(error, chore);
        }
      }
    },
    { pauseMs: upkeepPauseMs, onError: (error) => onError(error, 'all') },
  );
}

/** PGlite belongs to this process alone, so a package of an earlier one that has no row will never have one. */
function packagesSettledBefore(startedAt: Date): Date {
  return new Date(Math.max(startedAt.getTime(), Date.now() - packageGraceMs));
}
