import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { openAccess } from '../access/access.ts';
import type { Catalog } from '../catalog/contract/catalog.ts';
import { openTestCatalog } from '../catalog/test-catalog.test-support.ts';
import type { CheckpointCheck } from '../compress/eval-set/check-with-checkpoint.ts';
import type { CompressContext } from '../compress/compress-context.ts';
import { runEncodeJob } from '../compress/encode-job.ts';
import { createXetHasher, onceMade } from '../xet/xet-hash.ts';
import { createHub } from '../hub/hub.ts';
import { withTreeCache } from '../hub/tree/cached-trees.ts';
import { cancelCheckpoint } from '../ingest/checkpoint/cancel-checkpoint.ts';
import type { EvalSetCheck } from '../ingest/eval-set/commit-eval-set.ts';
import { changeRun } from '../ingest/run/change-run.ts';
import { createRun } from '../ingest/run/create-run.ts';
import { createIngestContext, encodeJobKind, type IngestContext } from '../ingest/ingest-context.ts';
import type { IngestLimits } from '../ingest/ingest-limits.ts';
import { createIngest } from '../ingest/ingest.ts';
import { createResumable } from '../ingest/resumable/resumable.ts';
import { cancelEstimate, estimateCheckpoint } from '../ingest/checkpoint/estimate-checkpoint.ts';
import { retryCheckpoint } from '../ingest/checkpoint/retry-checkpoint.ts';
import { whenTheyExpire } from '../ingest/checkpoint/reservation/when-they-expire.ts';
import { whatItWaitsFor, whatTheyWaitFor } from '../ingest/checkpoint/what-it-waits-for.ts';
import { loadCore } from '../native/load-core.ts';
import { Downloads } from '../restore/downloads.ts';
import { ByteCache } from '../restore/byte-cache.ts';
import { Restorer } from '../restore/restorer.ts';
import { openFilesystemStore } from '../store/filesystem/filesystem-store.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { deleteCheckpoint } from '../upkeep/delete-checkpoint.ts';
import { deleteRun } from '../upkeep/delete-run.ts';
import type { Admittance } from './request/admit.ts';
import type { BodyPace } from './request/body/body-pace.ts';
import type { Gateway } from './gateway.ts';
import { createProgressBus } from './progress/progress-bus.ts';
import { TransferMeter } from './watch/transfer-meter.ts';
import { noTracer } from '../telemetry/tracer.ts';

const cacheBytes = 16 * 1024 * 1024;

export interface TestGateway extends Gateway {
  readonly transfers: TransferMeter;
  readonly store: ObjectStore;
  /** The store's files are below it. */
  readonly directory: string;
  readonly ingest: IngestContext;
  /** Errors in the log. */
  readonly errors: object[];
  /** Other lines of the log. */
  readonly lines: object[];
  /** Replaces the check of eval sets; by default all pass. */
  judgeEvalSet: EvalSetCheck;
  /** Replaces measuring checkpoints on eval sets; by default it reports nothing. */
  examine: CheckpointCheck;
  /** Runs the queued encode jobs, one after the other, as the worker does. Without an evaluator: exact runs only. */
  encode(): Promise<void>;
  close(): Promise<void>;
}

export interface TestGatewayOptions {
  readonly limits?: Partial<IngestLimits>;
  /** Blocks and indexes of packages that stay in memory, in bytes each. */
  readonly restoreCacheBytes?: number;
  /** No lower limit by default. */
  readonly bodyPace?: BodyPace;
  /** By default an empty one. */
  readonly catalog?: Catalog;
  /** By default everybody may do everything. */
  readonly admittance?: (catalog: Catalog) => Admittance;
}

/**
 * Real catalog (in memory), store (a temporary directory), ingest, codec and restore behind the routes; no worker and
 * no evaluator.
 */
export async function openTestGateway({
  limits = {},
  catalog: given,
  restoreCacheBytes = cacheBytes,
  admittance,
  bodyPace = { bytesPerSecondMin: 0, windowMs: 60_000 },
}: TestGatewayOptions = {}): Promise<TestGateway> {
  const directory = await mkdtemp(join(tmpdir(), 'firn-http-'));
  const core = loadCore({ threads: 1 });
  const catalog = withTreeCache(given ?? (await openTestCatalog()), new ByteCache(cacheBytes));
  const store = await openFilesystemStore({ folder: join(directory, 'objects'), crc32c: core.crc32cSync });
  const restorer = (): Restorer =>
    new Restorer({ core, store, indexCacheBytesMax: restoreCacheBytes, blockCacheBytesMax: restoreCacheBytes });
  const ingest = createIngestContext({
    catalog,
    store,
    limits,
    now: async () => new Date(),
    newKeyPart: () => randomBytes(16).toString('hex'),
  });
  const progress = createProgressBus();
  const shared = restorer();
  const errors: object[] = [];
  const lines: object[] = [];
  const compress = {
    catalog,
    store,
    core,
    restorer: shared,
    freshRestorer: restorer,
    workDirectory: join(directory, 'work'),
    cacheMaxBytes: cacheBytes,
    chainLengthMax: 8,
    blockParallel: 1,
    tracer: noTracer,
    publish: progress.publish,
  } as unknown as CompressContext;
  const downloads = new Downloads({ catalog, store, core, restorer: shared });
  const gateway: TestGateway = {
    admittance: admittance?.(catalog) ?? { access: openAccess, trustProxy: false },
    bodyPace,
    catalog,
    store,
    directory,
    progress,
    ingest,
    webhooksToPrivate: false,
    errors,
    lines,
    runs: {
      create: (repository, input, signal) => createRun({ catalog, newSeed: () => '42' }, repository, input, signal),
      change: (run, change, options) => changeRun(ingest, run, change, options),
      delete: (run, precondition) => deleteRun({ catalog }, run, precondition),
    },
    evalSets: { check: (...asked) => gateway.examine(...asked) },
    uploads: createIngest(ingest, (evalSet) => gateway.judgeEvalSet(evalSet)),
    resumable: createResumable(ingest),
    checkpoints: {
      cancel: (checkpoint, precondition) => cancelCheckpoint({ catalog }, checkpoint, precondition),
      retry: (run, checkpoint, change, options) => retryCheckpoint(ingest, run, checkpoint, change, options),
      estimate: (run, checkpoint, wish) => estimateCheckpoint(ingest, run, checkpoint, wish),
      cancelEstimate: (checkpoint) => cancelEstimate(catalog, checkpoint),
      waitsFor: (checkpoint) => whatItWaitsFor(ingest, checkpoint),
      allWaitFor: (checkpoints) => whatTheyWaitFor(ingest, checkpoints),
      expire: (asOf, checkpoints) => whenTheyExpire({ ...ingest, catalog: asOf }, checkpoints),
      delete: (checkpoint, precondition) => deleteCheckpoint({ catalog }, checkpoint, precondition),
    },
    downloads,
    hub: createHub({
      ...ingest,
      downloads,
      wakeWorkers: () => undefined,
      xetHasher: onceMade(createXetHasher),
      createRun: (tx, repository, input) => createRun({ catalog: tx, newSeed: () => '42' }, repository, input),
    }),
    probes: { needed: { catalog: () => catalog.probe(), store: () => store.probe() }, wanted: {} },
    metrics: new Registry(),
    transfers: new TransferMeter(catalog.usage),
    tracer: noTracer,
    log: { info: (fields) => lines.push(fields), error: (fields) => errors.push(fields) },
    judgeEvalSet: async () => undefined,
    examine: async () => ({ values: {}, understood: [], warnings: [], secondsPerEvaluation: 0 }),
    encode: () => encodeWaiting(catalog, compress),
    async close() {
      await store.close();
      await catalog.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return gateway;
}

async function encodeWaiting(catalog: Catalog, compress: CompressContext): Promise<void> {
  for (;;) {
    const [job] = await catalog.jobs.claim({ kinds: [encodeJobKind], workerId: 'test', leaseMs: 60_000, limit: 1 });
    if (job === undefined) return;
    const claim = { jobId: job.id, workerId: 'test', fence: job.fence };
    await runEncodeJob(compress, job.subjectId, claim, new AbortController().signal);
  }
}
