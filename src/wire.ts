import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { availableParallelism, hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { admittanceOf } from './process/admittance.ts';
import { createFirstToken } from './access/create-token.ts';
import type { Catalog } from './catalog/contract/catalog.ts';
import { tracedCatalog } from './catalog/traced-catalog.ts';
import { localNotices } from './catalog/notices/local-notices.ts';
import type { Notices } from './catalog/notices/notices.ts';
import { openPgliteCatalog } from './catalog/pglite/open-pglite.ts';
import { openPostgresCatalog } from './catalog/postgres/open-postgres.ts';
import { PostgresNotices } from './catalog/notices/postgres-notices.ts';
import { FirnError } from './checkpoint/firn-error.ts';
import type { CompressContext } from './compress/compress-context.ts';
import type { GraphCache } from './compress/eval-set/describe-local-graph.ts';
import { markEncodeEnded, runEncodeJob } from './compress/encode-job.ts';
import { fitsEvalSet } from './compress/eval-set/fits-eval-set.ts';
import { evalSetDirectory } from './compress/eval-set/local-eval-set.ts';
import type { Config } from './config.ts';
import { createEvaluator } from './evaluate/create-evaluator.ts';
import type { ProbedEvaluator } from './evaluate/evaluator.ts';
import { createApp } from './http/app.ts';
import { apiVersion } from './http/openapi-document.ts';
import { problemKinds } from './http/answer/problem-status.ts';
import { createOperationsApp } from './http/operations-app.ts';
import { createProgressBus, type ProgressBus } from './http/progress/progress-bus.ts';
import { relayProgress } from './http/progress/relay-progress.ts';
import { TransferMeter } from './http/watch/transfer-meter.ts';
import { startServer, type RunningServer } from './http/start-server.ts';
import { createIngestContext, encodeJobKind } from './ingest/ingest-context.ts';
import { startWorker, type JobWorker } from './jobs/job-worker.ts';
import { tracedHandler } from './jobs/traced-handler.ts';
import { loadCore } from './native/load-core.ts';
import type { NativeCore } from './native/core.ts';
import { ByteCache, newCacheCounts, type CacheCounts } from './restore/byte-cache.ts';
import { Restorer } from './restore/restorer.ts';
import { gatewayOf } from './process/gateway-of.ts';
import { isClaiming, probesOf } from './process/probe-process.ts';
import { shutDown } from './process/shut-down.ts';
import { openFilesystemStore } from './store/filesystem/filesystem-store.ts';
import { meteredStore } from './store/metered-store.ts';
import type { ObjectStore } from './store/object-store.ts';
import { tracedStore } from './store/traced-store.ts';
import { announceProcess } from './upkeep/announce-process.ts';
import { markMergeEnded, mergeJobKind, queueMerge, runMergeJob, type MergeContext } from './upkeep/merge/merge-run.ts';
import { startUpkeep } from './process/upkeep-chores.ts';
import { registerProcessMetrics, scrubMetrics } from './upkeep/process-metrics.ts';
import { runPeriodically, type Periodic } from './upkeep/run-periodically.ts';
import { cacheMetrics } from './upkeep/storage-metrics.ts';
import { damageToLog } from './upkeep/scrub/damage-to-log.ts';
import { Quarantine, quarantinedStore } from './upkeep/scrub/quarantine.ts';
import { startScrubber } from './upkeep/scrub/start-scrubber.ts';
import { Suspects, watchedStore } from './upkeep/scrub/suspects.ts';
import { watchProcess, type Watch } from './process/watch-process.ts';
import { openSoleWorkDirectory, openSharedWorkDirectory, type WorkDirectory } from './process/work-directory.ts';

/** What a process does: take requests, or work jobs off. */
export type Role = 'gateway' | 'worker';
export const bothRoles: readonly Role[] = ['gateway', 'worker'];

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
/** Beyond the time that parts of the process give themselves to end, in ms; and what closing a pool or a store may take. */
const shutdownMarginMs = 2_000;
const closeMs = 10_000;
/** How late transferred bytes are told, at most; as much is lost with a killed process. */
const transfersEveryMs = 60_000;
/** What is left of the traces is lost when the collector does not take it in this time, in ms. */
const tracesMs = 3_000;
/** Channel on which workers hear that there may be work. */
const jobsChannel = 'jobs';
/** In a folder of objects that several processes have open, an unfinished file that nobody has written to for this long belongs to no upload any more, in ms. */
const othersUnfinishedMs = 24 * 3600 * 1000;
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
  readonly notices: Notices;
  /** Behind the quarantine: what is known to be damaged is not read. */
  readonly store: ObjectStore;
  /** The same without it, for whoever looks for damage. */
  readonly bareStore: ObjectStore;
  /** What reads met, to be examined. */
  readonly suspects: Suspects;
  readonly evaluator: ProbedEvaluator;
  readonly watch: Watch;
  readonly encodeCache: CacheCounts;
  readonly progress: ProgressBus;
  readonly restorer: Restorer;
  readonly graphs: GraphCache;
  readonly work: WorkDirectory;
  /** Of this life of the process. */
  readonly processId: string;
}

/** Builds everything and does what the roles say. The one place that knows every implementation. An embedded catalog belongs to one process, which has both roles. */
export async function wire(config: Config, log: Logger, roles: readonly Role[] = bothRoles): Promise<Firn> {
  if (config.database === undefined && roles.length < bothRoles.length)
    throw new FirnError('invalid-request', 'A gateway or a worker of its own needs FIRN_DATABASE_URL: the embedded catalog belongs to one process.');
  await mkdir(config.dataDirectory, { recursive: true });
  const catalog = await openCatalog(config);
  const notices = openNotices(config, log);
  try {
    return await start(await openParts(config, log, { catalog, notices }), roles);
  } catch (error) {
    await notices.close();
    await catalog.close();
    throw error;
  }
}

/** Brings the database to this version and ends. */
export async function migrateDatabase(config: Config, log: Logger): Promise<void> {
  await mkdir(config.dataDirectory, { recursive: true });
  const { database } = config;
  const catalog = await openCatalog({ ...config, database: database && { ...database, migrate: true } });
  await catalog.close();
  log.info('the catalog is at the version of this program');
}

/** The catalog that a configuration names. Close it. */
export function openCatalog({ database, dataDirectory }: Config): Promise<Catalog> {
  return database === undefined ? openPgliteCatalog({ directory: join(dataDirectory, 'catalog') }) : openPostgresCatalog(database);
}

/** What a command needs that looks at everything stored. */
export interface StoredHub {
  readonly catalog: Catalog;
  /** Without quarantine. */
  readonly store: ObjectStore;
  readonly core: NativeCore;
  readonly restorer: Restorer;
  close(): Promise<void>;
}

/** Catalog and objects of a configuration, without a process around them. An embedded catalog that a server has open is `unavailable`, as for a second server. Close it. */
export async function openStoredHub(config: Config, log: Logger): Promise<StoredHub> {
  const catalog = await openCatalog(config);
  try {
    const core = loadCore({ queueMax: config.nativeQueueMax, ...(config.nativeThreads === undefined ? {} : { threads: config.nativeThreads }) });
    const store = await openStore(config, log, core);
    const restorer = restorerOf(core, store, config.restoreCacheMaxBytes);
    const close = async (): Promise<void> => {
      await store.close();
      await catalog.close();
    };
    return { catalog, store, core, restorer, close };
  } catch (error) {
    await catalog.close();
    throw error;
  }
}

function restorerOf(core: NativeCore, store: ObjectStore, blockCacheBytesMax: number): Restorer {
  return new Restorer({ core, store, indexCacheBytesMax: indexCacheMaxBytes, blockCacheBytesMax });
}

function openNotices({ database }: Config, log: Logger): Notices {
  if (database === undefined) return localNotices();
  return new PostgresNotices(database, (error) => log.warn({ err: error }, 'no word from the other processes; the catalog is asked instead'));
}

async function openParts(config: Config, log: Logger, { catalog: bareCatalog, notices }: Pick<Parts, 'catalog' | 'notices'>): Promise<Parts> {
  const processId = `${hostname()}-${process.pid}-${randomUUID()}`;
  const watch = await watchProcess(config, processId, log);
  const { metrics, tracer } = watch;
  const catalog = tracedCatalog(bareCatalog, tracer);
  const core = loadCore({ queueMax: config.nativeQueueMax, ...(config.nativeThreads === undefined ? {} : { threads: config.nativeThreads }) });
  const bareStore = meteredStore(await openStore(config, log, core, watch.onStoreRetry), watch.onStoreCall);
  const suspects = new Suspects({ catalog, store: bareStore, ...damageToLog(log) });
  const watched = watchedStore(bareStore, (key) => suspects.add(key));
  const store = tracedStore(quarantinedStore(watched, new Quarantine(catalog)), tracer);
  registerProcessMetrics(metrics, { catalog, core, jobKinds: [encodeJobKind, mergeJobKind] });
  const evaluator = createEvaluator({
    parallel: config.evalParallel ?? Math.max(1, availableParallelism() - 1),
    deadlineMs: config.evalDeadlineMs,
    memoryMaxBytes: config.evalMemoryMaxBytes,
  });
  const work = await openWorkDirectory(config);
  const restorer = restorerOf(core, store, config.restoreCacheMaxBytes);
  const graphs: GraphCache = new ByteCache(graphCacheMaxBytes);
  const encodeCache = newCacheCounts();
  cacheMetrics(metrics, () => ({ ...restorer.caches(), encode: { ...encodeCache, usedBytes: 0 } }));
  const progress = relayProgress(createProgressBus(), notices);
  return { config, log, core, catalog, notices, store, bareStore, suspects, evaluator, progress, restorer, graphs, work, processId, watch, encodeCache };
}

/** What a killed process left goes. Copies of eval sets of the only process stay: a whole one is recognised. */
async function openWorkDirectory({ database, workDirectory }: Config): Promise<WorkDirectory> {
  if (database === undefined) return openSoleWorkDirectory(workDirectory, evalSetDirectory(workDirectory));
  const work = await openSharedWorkDirectory(workDirectory);
  await mkdir(evalSetDirectory(work.path), { recursive: true });
  return work;
}

/** Files under the data directory, or a bucket. Whoever has no bucket does not load the SDK. */
async function openStore({ dataDirectory, s3, database }: Config, log: Logger, core: NativeCore, onRetried = (): void => undefined): Promise<ObjectStore> {
  const crc32c = (bytes: Uint8Array, seed?: number): number => core.crc32cSync(bytes, seed);
  if (s3 === undefined) {
    const folder = join(dataDirectory, 'objects');
    const unfinishedKeptMs = database === undefined ? 0 : othersUnfinishedMs;
    return openFilesystemStore({ folder, unfinishedKeptMs, crc32c, forgetFile: (descriptor) => core.forgetFile(descriptor) });
  }
  const { openS3Store } = await import('./store/s3/s3-store.ts');
  return openS3Store({
    ...s3,
    crc32c,
    onRetry: ({ request, tries, delayMs, error }) => {
      onRetried();
      log.warn({ err: error, request, tries, delayMs }, 'a request to the storage is tried again');
    },
  });
}

async function start(parts: Parts, roles: readonly Role[]): Promise<Firn> {
  const { config, catalog, notices, store, log } = parts;
  const ingest = createIngestContext({
    catalog,
    store,
    now: () => catalog.now(),
    newKeyPart: () => randomBytes(16).toString('hex'),
    tracer: parts.watch.tracer,
    fitsEvalSet: fitsEvalSet({ store, graphs: parts.graphs, workDirectory: parts.work.path }),
    limits: {
      fileBytesMax: config.fileMaxBytes,
      stagedBytesPerRunMax: config.stagedRunMaxBytes,
      stagedBytesMax: config.stagedTotalMaxBytes,
      reservationTtlMs: config.reservationTtlMs,
      uploadTtlMs: config.uploadTtlMs,
    },
  });
  const wakeWorkers = (): void => notices.publish(jobsChannel, '');
  const worker = roles.includes('worker') ? startJobWorker(parts) : undefined;
  // A request that wakes the worker is over when its work goes on.
  const outsideOfRequests = AsyncLocalStorage.snapshot();
  if (worker !== undefined) notices.subscribe(jobsChannel, () => outsideOfRequests(() => worker.wake()));
  const upkeep = startUpkeep({
    catalog,
    store,
    log,
    workDirectory: parts.work.path,
    ingest,
    ofHub: worker !== undefined,
    alone: config.database === undefined,
    gcGraceMs: config.gcGraceMs,
    onExpired: wakeWorkers,
    scrub: { catalog, store: parts.bareStore, ...damageToLog(log) },
  });
  const scrubber = worker === undefined || config.scrubBytesPerSecond === 0 ? undefined : scrubberOf(parts);
  const isGateway = roles.includes('gateway');
  const announcing = announceProcess(catalog.processes, {
    id: parts.processId,
    version: apiVersion,
    gateway: isGateway,
    worker: () => worker !== undefined && isClaiming(worker),
    onError: (error) => log.warn({ err: error }, 'the sign of life did not reach the catalog'),
  });
  const readiness = { stopping: false };
  const transfers = new TransferMeter(catalog.usage);
  const metering = startMetering(transfers, log);
  const probes = probesOf({ ...parts, isGateway, worker, workersMin: config.readyWorkers, isStopping: () => readiness.stopping });
  const operations = { admittance: admittanceOf(parts), probes, metrics: parts.watch.metrics, tracer: parts.watch.tracer, log };
  const running = { worker, upkeep, scrubber, announcing, metering };
  try {
    const app = isGateway ? createApp({ ...gatewayOf(parts, ingest, wakeWorkers), ...operations, transfers }) : createOperationsApp(operations);
    const server = await startServer({ app, host: config.host, port: config.port });
    // Only now: whoever cannot listen tells no token.
    const firstToken = config.access === 'tokens' && isGateway ? await createFirstToken(catalog) : undefined;
    return { url: server.url, ...(firstToken !== undefined && { firstToken }), close: () => close(parts, { ...running, server, transfers, readiness }) };
  } catch (error) {
    // A job that was taken goes back uncounted, before whoever called ends the process.
    await Promise.allSettled(Object.values(running).map((part) => part?.stop(config.drainMs)));
    throw error;
  }
}

interface Running {
  readonly server: RunningServer;
  readonly worker: JobWorker | undefined;
  readonly upkeep: Periodic;
  readonly scrubber: Periodic | undefined;
  readonly transfers: TransferMeter;
  readonly metering: Periodic;
  readonly announcing: Periodic;
  readonly readiness: { stopping: boolean };
}

/** Ends the process's parts in order; rejects with the first thing that went wrong. */
async function close(
  { config, evaluator, store, suspects, notices, catalog, watch, work, log }: Parts,
  { server, worker, upkeep, scrubber, transfers, metering, announcing, readiness }: Running,
): Promise<void> {
  const { drainMs, unreadyMs } = config;
  const drain = (name: string, end: () => Promise<void>) => ({ name, deadlineMs: drainMs + shutdownMarginMs, end });
  const closing = (name: string, end: () => Promise<void>) => [{ name, deadlineMs: closeMs, end }];
  const unready = async (): Promise<void> => {
    readiness.stopping = true;
    await pause(unreadyMs);
  };
  await shutDown(
    [
      [{ name: 'say not ready', deadlineMs: unreadyMs + shutdownMarginMs, end: unready }],
      [
        drain('stop accepting, finish requests', () => server.close(drainMs)),
        drain('hand back jobs', async () => worker?.stop(drainMs)),
        drain('stop upkeep', () => upkeep.stop(drainMs)),
        drain('stop scrubbing', async () => scrubber?.stop(drainMs)),
        drain('stop examining', () => suspects.close()),
        drain('stop metering', () => metering.stop(drainMs)),
        drain('take leave', () => announcing.stop(drainMs)),
      ],
      closing('write transferred bytes', () => transfers.flush()),
      closing('end evaluations', () => evaluator.close()),
      closing('close store', () => store.close()),
      closing('remove scratch files', () => work.release()),
      [{ name: 'send traces', deadlineMs: tracesMs, end: () => watch.close() }],
      closing('close notices', () => notices.close()),
      closing('close catalog', () => catalog.close()),
    ],
    log,
  );
  log.info('stopped');
}

/** Writes what requests moved now and then, and at the end of the process once more. */
function startMetering(transfers: TransferMeter, log: Logger): Periodic {
  return runPeriodically(() => transfers.flush(), {
    pauseMs: transfersEveryMs,
    onError: (error) => log.error({ err: error }, 'transferred bytes could not be written; they are kept'),
  });
}

function scrubberOf({ config, catalog, bareStore, watch: { metrics, tracer }, log }: Parts): Periodic {
  const { scrubBytesPerSecond: bytesPerSecond, scrubEveryMs: everyMs } = config;
  return startScrubber({ catalog, store: bareStore, tracer, log, bytesPerSecond, everyMs, onRead: scrubMetrics(metrics) });
}

function startJobWorker(parts: Parts): JobWorker {
  const { config, log, catalog, progress } = parts;
  const { tracer } = parts.watch;
  const alone = config.database === undefined;
  const compress = compressContext(parts);
  const merge = mergeContext(parts, compress);
  return startWorker({
    catalog,
    handlers: {
      [encodeJobKind]: tracedHandler(tracer, { run: (job, { claim, signal }) => runEncodeJob(compress, job.subjectId, claim, signal) }),
      // Claimed only while no checkpoint waits. Those queued before merging was switched off wait until it is on again.
      ...(config.mergeDeltas && {
        [mergeJobKind]: tracedHandler(tracer, { run: (job, { claim, signal }) => runMergeJob(merge, job.subjectId, claim, signal) }),
      }),
    },
    // PGlite belongs to this process alone, so whatever an earlier one was running is free. Elsewhere a lease has to run out.
    ...(alone ? { workerId: `embedded-${randomUUID()}`, takeOverPrefix: 'embedded-' } : { workerId: parts.processId }),
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

function compressContext({ config, core, catalog, store, evaluator, restorer, graphs, progress, work, watch, encodeCache }: Parts): CompressContext {
  const { threads } = core.stats();
  return {
    catalog,
    store,
    core,
    evaluator,
    restorer,
    graphs,
    workDirectory: work.path,
    freshRestorer: () => restorerOf(core, store, config.restoreCacheMaxBytes),
    cacheMaxBytes: config.encodeCacheMaxBytes,
    cacheCounts: encodeCache,
    tracer: watch.tracer,
    chainLengthMax: config.chainLengthMax,
    blockParallel: blocksPerThread * Math.max(threads, Math.min(2, availableParallelism())),
    ...(config.mergeDeltas && { afterCommit: (tx, { runId }) => queueMerge(tx, runId) }),
    publish: (checkpointId, note) => progress.publish(checkpointId, note),
  };
}

function mergeContext({ catalog, store, core, config, watch }: Parts, { blockParallel }: CompressContext): MergeContext {
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
