import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Catalog } from '../catalog/contract/catalog.ts';
import { localNotices, type Notices } from '../catalog/notices/notices.ts';
import { openPgliteCatalog } from '../catalog/pglite/open-pglite.ts';
import { openPostgresCatalog } from '../catalog/postgres/open-postgres.ts';
import { PostgresNotices } from '../catalog/notices/postgres-notices.ts';
import type { GraphCache } from '../compress/eval-set/describe-local-graph.ts';
import { evalSetDirectory } from '../compress/eval-set/local-eval-set.ts';
import type { Config } from '../config.ts';
import { createEvaluator } from '../evaluate/create-evaluator.ts';
import type { ProbedEvaluator } from '../evaluate/evaluator.ts';
import { withTreeCache, type KeptTree } from '../hub/tree/cached-trees.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { createProgressBus, type ProgressBus } from '../http/progress/progress-bus.ts';
import { relayProgress } from '../http/progress/relay-progress.ts';
import { encodeJobKind, estimateJobKind } from '../ingest/ingest-context.ts';
import type { NativeCore } from '../native/core.ts';
import { ByteCache, newCacheCounts, type CacheCounts } from '../restore/byte-cache.ts';
import { DecodedFiles } from '../restore/decoded/decoded-files.ts';
import { Restorer } from '../restore/restorer.ts';
import { openFilesystemStore } from '../store/filesystem/filesystem-store.ts';
import { meteredStore } from '../store/watch/metered-store.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { tracedStore } from '../store/watch/traced-store.ts';
import type { Tracer } from '../telemetry/tracer.ts';
import { mergeJobKind } from '../upkeep/merge/merge-run.ts';
import { registerProcessMetrics } from '../upkeep/process-metrics.ts';
import { cacheMetrics } from '../upkeep/storage-metrics.ts';
import { damageToLog } from '../upkeep/scrub/damage-to-log.ts';
import { Quarantine, quarantinedStore } from '../upkeep/scrub/quarantine.ts';
import { Suspects, watchedStore } from '../upkeep/scrub/suspects.ts';
import { openCore } from './watch-device.ts';
import { watchProcess, type Watch } from './watch-process.ts';
import { MemoryFolders } from './memory-folders.ts';
import { logDevice } from './log-device.ts';
import { freeBytesOf, openSoleWorkDirectory, openSharedWorkDirectory, type WorkDirectory } from './work-directory.ts';

/**
 * If several processes share a folder of objects, an unfinished file that was not written to for this long, in ms,
 * belongs to no upload any more.
 */
const othersUnfinishedMs = 24 * 3600 * 1000;
/** Cache of decoded package indexes, in bytes. */
const indexCacheMaxBytes = 64 * 1024 * 1024;
/** Cache of described eval graphs, in bytes; one of a thousand operators takes 2 to 3 MB. */
const graphCacheMaxBytes = 64 * 1024 * 1024;

/** Cache of the trees of commits, in bytes. */
const treeCacheMaxBytes = 32 * 1024 * 1024;

/** The parts of a process, whatever its roles. */
export interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly core: NativeCore;
  readonly catalog: Catalog;
  readonly notices: Notices;
  /** Behind the quarantine: objects known to be damaged cannot be opened. */
  readonly store: ObjectStore;
  /** The same store without the quarantine, for finding damage. */
  readonly bareStore: ObjectStore;
  /** Objects with failed reads, to be examined. */
  readonly suspects: Suspects;
  readonly evaluator: ProbedEvaluator;
  readonly watch: Watch;
  readonly encodeCache: CacheCounts;
  /** Absent if models to evaluate are written to disk. */
  readonly scratchMemory: MemoryFolders | undefined;
  readonly progress: ProgressBus;
  readonly restorer: Restorer;
  /** Undefined: rebuilt files are not kept. */
  readonly decoded: DecodedFiles | undefined;
  readonly graphs: GraphCache;
  readonly work: WorkDirectory;
  /** Unique to this start of the process. */
  readonly processId: string;
}

/** Migrates the database to this version and ends. */
export async function migrateDatabase(config: Config, log: Logger): Promise<void> {
  await mkdir(config.dataDirectory, { recursive: true });
  const { database } = config;
  const catalog = await openCatalog({ ...config, database: database && { ...database, migrate: true } });
  await catalog.close();
  log.info('the catalog is at the version of this program');
}

/** The catalog that a configuration names. Close it. */
export function openCatalog({ database, dataDirectory }: Config): Promise<Catalog> {
  return database === undefined
    ? openPgliteCatalog({ directory: join(dataDirectory, 'catalog') })
    : openPostgresCatalog(database);
}

/** The same, without making an embedded one: `not-found` if there is none. */
export async function openExistingCatalog(config: Config): Promise<Catalog> {
  const folder = join(config.dataDirectory, 'catalog');
  if (config.database === undefined && !existsSync(folder))
    throw new FirnError('not-found', 'There is no catalog here. Name the folder of the hub in FIRN_DATA_DIR.', {
      detail: resolve(folder),
    });
  return openCatalog(config);
}

/** The parts of a command that looks at everything stored. */
export interface StoredHub {
  readonly catalog: Catalog;
  /** Without quarantine. */
  readonly store: ObjectStore;
  readonly core: NativeCore;
  readonly restorer: Restorer;
  close(): Promise<void>;
}

/**
 * Catalog and objects of a configuration, without a running process. If a server has the embedded catalog open, this
 * fails with `unavailable`, as a second server does; without a catalog with `not-found`. Close it.
 */
export async function openStoredHub(config: Config, log: Logger): Promise<StoredHub> {
  const catalog = await openExistingCatalog(config);
  try {
    const core = openCore(config, log, { isWorker: false });
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

/** A restorer with a cache of decoded blocks of so many bytes. */
export function restorerOf(core: NativeCore, store: ObjectStore, blockCacheBytesMax: number): Restorer {
  return new Restorer({ core, store, indexCacheBytesMax: indexCacheMaxBytes, blockCacheBytesMax });
}

/** The catalog with a span for every transaction; single statements have none, because there are too many. */
function tracedCatalog(catalog: Catalog, tracer: Tracer): Catalog {
  return {
    ...catalog,
    transaction: (work) => tracer.span('catalog.transaction', { onlyInside: true }, () => catalog.transaction(work)),
  };
}

/** Messages between the processes of a configuration. Close it. */
export function openNotices({ database }: Config, log: Logger): Notices {
  if (database === undefined) return localNotices();
  return new PostgresNotices(database, (error) =>
    log.warn({ err: error }, 'no word from the other processes; the catalog is asked instead'),
  );
}

/** Opens everything in a configuration, for a process that serves requests or runs jobs. */
export async function openParts(
  config: Config,
  log: Logger,
  { catalog: bareCatalog, notices }: Pick<Parts, 'catalog' | 'notices'>,
  { isWorker }: { readonly isWorker: boolean },
): Promise<Parts> {
  const processId = `${hostname()}-${process.pid}-${randomUUID()}`;
  const watch = await watchProcess(config, processId, log);
  const { metrics, tracer } = watch;
  const treeCounts = newCacheCounts();
  const trees = new ByteCache<KeptTree>(treeCacheMaxBytes, treeCounts);
  const catalog = withTreeCache(tracedCatalog(bareCatalog, tracer), trees);
  const core = openCore(config, log, { isWorker });
  const bareStore = meteredStore(await openStore(config, log, core, watch.onStoreRetry), watch.onStoreCall);
  const suspects = new Suspects({ catalog, store: bareStore, ...damageToLog(log) });
  const watched = watchedStore(bareStore, (key) => suspects.add(key));
  const store = tracedStore(quarantinedStore(watched, new Quarantine(catalog)), tracer);
  registerProcessMetrics(metrics, { catalog, core, jobKinds: [encodeJobKind, estimateJobKind, mergeJobKind] });
  const evaluator = createEvaluator({
    parallel: config.evalParallel,
    deadlineMs: config.evalDeadlineMs,
    memoryMaxBytes: config.evalMemoryMaxBytes,
    on: config.evaluateOn,
    cudaEnvironment: config.cudaEnvironment,
    onDevice: (report) => logDevice(log, report),
  });
  const work = await openWorkDirectory(config);
  const restorer = restorerOf(core, store, config.restoreCacheMaxBytes);
  const decoded = await openDecoded(config, log, core, work);
  const graphs: GraphCache = new ByteCache(graphCacheMaxBytes);
  const encodeCache = newCacheCounts();
  cacheMetrics(metrics, () => ({
    ...restorer.caches(),
    ...(decoded && { decoded: decoded.state() }),
    encode: { ...encodeCache, usedBytes: 0 },
    trees: { ...treeCounts, usedBytes: trees.usedBytes },
  }));
  const progress = relayProgress(createProgressBus(), notices);
  return {
    config,
    log,
    core,
    catalog,
    notices,
    store,
    bareStore,
    suspects,
    evaluator,
    progress,
    restorer,
    decoded,
    graphs,
    work,
    processId,
    watch,
    encodeCache,
    scratchMemory: await MemoryFolders.open({ bytesMax: config.trialMemoryMaxBytes }),
  };
}

/**
 * Deletes the remains of killed processes. The only process keeps its copies of eval sets: complete ones are
 * recognized.
 */
async function openWorkDirectory({ database, workDirectory }: Config): Promise<WorkDirectory> {
  if (database === undefined) return openSoleWorkDirectory(workDirectory, evalSetDirectory(workDirectory));
  const work = await openSharedWorkDirectory(workDirectory);
  await mkdir(evalSetDirectory(work.path), { recursive: true });
  return work;
}

/** Undefined if the configuration has no bytes for it. */
async function openDecoded(
  { decodedCacheMaxBytes: bytesMax }: Config,
  log: Logger,
  core: NativeCore,
  work: WorkDirectory,
): Promise<DecodedFiles | undefined> {
  if (bytesMax === 0) return undefined;
  return DecodedFiles.open({
    directory: join(work.path, 'decoded'),
    bytesMax,
    crc32c: (bytes) => core.crc32cSync(bytes),
    freeBytes: freeBytesOf,
    onFailure: (error) => log.warn({ err: error }, 'a decoded file could not be kept; it is rebuilt instead'),
  });
}

/** Files under the data directory, or a bucket. The SDK is loaded only for a bucket. */
async function openStore(
  { dataDirectory, s3, database }: Config,
  log: Logger,
  core: NativeCore,
  onRetried = (): void => undefined,
): Promise<ObjectStore> {
  const crc32c = (bytes: Uint8Array, seed?: number): number => core.crc32cSync(bytes, seed);
  if (s3 === undefined) {
    const folder = join(dataDirectory, 'objects');
    const unfinishedKeptMs = database === undefined ? 0 : othersUnfinishedMs;
    return openFilesystemStore({
      folder,
      unfinishedKeptMs,
      crc32c,
      forgetFile: (descriptor) => core.forgetFile(descriptor),
    });
  }
  const { openS3Store } = await import('../store/s3/s3-store.ts');
  return openS3Store({
    ...s3,
    crc32c,
    onRetry: ({ request, tries, delayMs, error }) => {
      onRetried();
      log.warn({ err: error, request, tries, delayMs }, 'a request to the storage is tried again');
    },
  });
}
