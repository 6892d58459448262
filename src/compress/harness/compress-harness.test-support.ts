import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Claim } from '../../catalog/contract/work/job-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { pendingDeletionKeys } from '../../catalog/records/pending-deletion-keys.test-support.ts';
import { openTestCatalog } from '../../catalog/test-catalog.test-support.ts';
import { parseSafetensorsHeader } from '../../checkpoint/safetensors/parse-safetensors.ts';
import type { MetricValues } from '../../checkpoint/quality/quality.ts';
import type { InshrinkeratorConfig } from '../../checkpoint/options/methods/inshrinkerator-config.ts';
import type { QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';
import type { FileRole } from '../../checkpoint/role.ts';
import { defaultSearchOptions, type SearchOptions } from '../../checkpoint/options/search-options.ts';
import { createEvaluator } from '../../evaluate/create-evaluator.ts';
import type { Evaluator } from '../../evaluate/evaluator.ts';
import type { DeviceChoice, NativeCore } from '../../native/core.ts';
import { loadCore } from '../../native/load-core.ts';
import { ByteCache } from '../../restore/byte-cache.ts';
import { Downloads } from '../../restore/downloads.ts';
import { Restorer } from '../../restore/restorer.ts';
import { openFilesystemStore } from '../../store/filesystem/filesystem-store.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { CompressContext, EncodeNote } from '../compress-context.ts';
import type { GraphCache } from '../eval-set/describe-local-graph.ts';
import { runEncodeJob, type EncodeOutcome } from '../encode-job.ts';
import { evalSetDirectory } from '../eval-set/local-eval-set.ts';
import {
  quantizedNames,
  safetensors,
  tinyBatches,
  tinyGraph,
  tinySpec,
  type TestTensors,
} from './tiny-model.test-support.ts';
import { noTracer } from '../../telemetry/tracer.ts';

/** A search space small enough for a test, with something to find in it. */
const { weightErrorMax: _, divergenceMax: __, ...unguarded } = defaultSearchOptions;
/** Few configs, and metrics alone decide; tests of guards ask for these. */
export const tinySearch: SearchOptions = {
  ...unguarded,
  rounding: 'archive',
  standardErrors: 0,
  method: 'inshrinkerator',
  bins: [4, 8, 16, 32],
  embeddingBins: [16, 32],
  pruneFractions: [0.3, 0.1, 0],
  protectFractions: [0.005, 0.05],
  trialsMax: 40,
};

export const sixteenBins: InshrinkeratorConfig = {
  method: 'inshrinkerator',
  bins: 16,
  embeddingBins: 16,
  pruneFraction: 0.1,
  pruneMetric: 'magnitude',
  protectFraction: 0.01,
};

export type Upload = Readonly<Record<string, { readonly role: FileRole; readonly bytes: Uint8Array }>>;

/** Optional fields of a reservation. */
export type Reserved = Pick<Checkpoint, 'fixedConfig' | 'expects'>;

/** Everything an encode job uses, real but small: PGlite in memory, a directory, the core, evaluation children. */
export interface CompressHarness {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly core: NativeCore;
  readonly evaluator: Evaluator;
  readonly directory: string;
  /** Notes published so far. */
  readonly notes: EncodeNote[];
  context(changes?: Partial<CompressContext>): CompressContext;
  /** A lossy run on the tiny model's eval set, at most 5 % more loss. */
  newRun(changes?: Partial<Parameters<Catalog['runs']['create']>[0]>): Promise<Run>;
  /** A lossy run without eval set that quantizes with a given config. */
  newFixedRun(
    fixedConfig: QuantizationConfig,
    changes?: Partial<Parameters<Catalog['runs']['create']>[0]>,
  ): Promise<Run>;
  /** Stages files and queues the checkpoint with its job. */
  queue(run: Run, step: number, files: Upload, reserved?: Reserved): Promise<Checkpoint>;
  /** Claims the next job and works on it. */
  work(ctx?: CompressContext, signal?: AbortSignal): Promise<EncodeOutcome>;
  /** `queue` and `work`; the checkpoint as it is afterwards. */
  push(
    run: Run,
    step: number,
    files: Upload,
    options?: Reserved & { readonly ctx?: CompressContext },
  ): Promise<Checkpoint>;
  checkpoint(id: string): Promise<Checkpoint>;
  /** A file as a download returns it. */
  download(checkpoint: Checkpoint, path: string): Promise<Buffer>;
  /** Metrics of a model file's bytes in an evaluation of their own. */
  measure(bytes: Uint8Array): Promise<MetricValues>;
  /** The stored bytes of the package. */
  packageBytes(checkpoint: Checkpoint): Promise<Buffer>;
  /** Files with uploaded bytes that are still stored, in path order. */
  rawPaths(checkpoint: Checkpoint): Promise<string[]>;
  /** Keys of all objects except those pending deletion. */
  objects(): Promise<string[]>;
  /** Entries of the work directory besides the eval sets. */
  scratch(): Promise<string[]>;
  close(): Promise<void>;
}

export interface HarnessOptions {
  readonly evalParallel?: number;
  readonly blockParallel?: number;
  /** The eval set's spec accepts a model that guesses badly: its figures are not doubted. */
  readonly allowDoubted?: boolean;
  /** The core works on this device. */
  readonly device?: DeviceChoice;
}

export async function openCompressHarness({
  evalParallel = 1,
  blockParallel = 2,
  allowDoubted = false,
  device,
}: HarnessOptions = {}): Promise<CompressHarness> {
  const directory = await mkdtemp(join(tmpdir(), 'firn-compress-'));
  const core = loadCore({ device });
  const catalog = await openTestCatalog();
  const store = await openFilesystemStore({ folder: join(directory, 'objects'), crc32c: core.crc32cSync });
  const evaluator = createEvaluator({ parallel: evalParallel, deadlineMs: 30_000, memoryMaxBytes: 2 ** 30 });
  const restorer = () => new Restorer({ core, store, indexCacheBytesMax: 2 ** 24, blockCacheBytesMax: 2 ** 22 });
  const workDirectory = join(directory, 'work');
  const notes: EncodeNote[] = [];
  const graphs: GraphCache = new ByteCache(2 ** 24);
  const shared = restorer();
  const downloads = new Downloads({ catalog, store, core, restorer: restorer() });
  const repository = await catalog.repositories.create({ namespace: 'acme', name: 'tiny', type: 'model' });
  const evalSet = await readyEvalSet(catalog, store, repository.id, allowDoubted);
  let runs = 0;

  const harness: CompressHarness = {
    catalog,
    store,
    core,
    evaluator,
    directory,
    notes,
    context: (changes = {}) => ({
      catalog,
      store,
      core,
      evaluator,
      restorer: shared,
      freshRestorer: restorer,
      graphs,
      workDirectory,
      cacheMaxBytes: 2 ** 22,
      chainLengthMax: 32,
      blockParallel,
      tracer: noTracer,
      publish: (_, note) => {
        notes.push(note);
      },
      ...changes,
    }),
    newRun: (changes = {}) =>
      catalog.runs.create({
        repositoryId: repository.id,
        name: `run-${runs++}`,
        fidelity: 'lossy',
        evalSetId: evalSet.id,
        thresholds: { loss: 0.05 },
        search: tinySearch,
        seed: '42',
        layerTypes: {},
        ...changes,
      }),
    newFixedRun: (fixedConfig, changes = {}) =>
      catalog.runs.create({
        repositoryId: repository.id,
        name: `run-${runs++}`,
        fidelity: 'lossy',
        thresholds: {},
        search: { ...tinySearch, fixedConfig },
        seed: '42',
        layerTypes: {},
        ...changes,
      }),
    async queue(run, step, files, reserved = {}) {
      const { id, sequence } = await catalog.checkpoints.reserve({ runId: run.id, step, ...reserved });
      for (const [path, { role, bytes }] of Object.entries(files)) {
        const object = await put(store, `staged/${id}/${randomUUID().replaceAll('-', '')}`, bytes);
        await catalog.files.receive(id, {
          path,
          role,
          sizeBytes: bytes.length,
          sha256: sha256(bytes),
          rawKey: object.key,
          rawStoredBytes: object.storedBytes,
        });
      }
      await catalog.jobs.enqueue({ kind: 'encode', subjectId: id, orderKey: run.id, orderSequence: sequence });
      return catalog.checkpoints.transition(id, ['open'], 'queued');
    },
    async work(ctx = harness.context(), signal = new AbortController().signal) {
      const [job] = await catalog.jobs.claim({ kinds: ['encode'], workerId: 'test', leaseMs: 60_000, limit: 1 });
      if (job === undefined) throw new Error('there is no job to claim');
      const claim: Claim = { jobId: job.id, workerId: 'test', fence: job.fence };
      try {
        const outcome = await runEncodeJob(ctx, job.subjectId, claim, signal);
        if (outcome.kind === 'defer') await catalog.jobs.defer(claim, 0);
        return outcome;
      } catch (error) {
        await catalog.jobs.defer(claim, 0);
        throw error;
      }
    },
    async push(run, step, files, { ctx, ...reserved } = {}) {
      const { id } = await harness.queue(run, step, files, reserved);
      await harness.work(ctx);
      return harness.checkpoint(id);
    },
    async checkpoint(id) {
      return (await catalog.checkpoints.get(id))!;
    },
    async download(checkpoint, path) {
      const file = await catalog.files.find(checkpoint.id, path);
      const opened = await downloads.openFile(checkpoint, file!);
      try {
        return await collect(opened.stream(0, opened.sizeBytes));
      } finally {
        await opened.close();
      }
    },
    async measure(bytes) {
      const path = join(directory, `${randomUUID()}.safetensors`);
      await writeFile(path, bytes);
      const home = join(evalSetDirectory(workDirectory), evalSet.id);
      const binding = Object.fromEntries(
        [...quantizedNames, 'fc.bias'].map((tensor) => [tensor, { tensor, transpose: false }]),
      );
      const local = {
        graphPath: join(home, `graph-${evalSet.graphSha256}.onnx`),
        batchesPath: join(home, `batches-${evalSet.batchesSha256}.safetensors`),
        spec: tinySpec,
      };
      return evaluator.evaluate({ evalSet: local, binding, weightPaths: [path] });
    },
    async packageBytes({ packageId }) {
      const reader = await store.open((await catalog.packages.get(packageId!))!.key);
      try {
        return await collect(reader.stream());
      } finally {
        await reader.close();
      }
    },
    rawPaths: async ({ id }) =>
      (await catalog.files.list(id)).flatMap((file) => (file.rawKey === undefined ? [] : [file.path])),
    async objects() {
      const pending = await pendingDeletionKeys(catalog);
      const keys: string[] = [];
      for await (const { key } of store.list('')) if (!pending.has(key)) keys.push(key);
      return keys.sort();
    },
    scratch: async () => (await readdir(workDirectory)).filter((name) => name !== 'eval-sets'),
    async close() {
      await evaluator.close();
      await catalog.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return harness;
}

async function readyEvalSet(catalog: Catalog, store: ObjectStore, repositoryId: string, allowDoubted: boolean) {
  const { id } = await catalog.evalSets.create({ repositoryId, name: 'held-out', spec: { ...tinySpec, allowDoubted } });
  for (const [part, bytes] of [
    ['graph', tinyGraph()],
    ['batches', tinyBatches()],
  ] as const) {
    const { key, storedBytes } = await put(store, `evalsets/${id}/${part}`, bytes);
    await catalog.evalSets.setPart(id, part, { key, sha256: sha256(bytes), sizeBytes: bytes.length, storedBytes });
  }
  await catalog.evalSets.setState(id, 'ready');
  return (await catalog.evalSets.get(id))!;
}

export function put(store: ObjectStore, key: string, bytes: Uint8Array) {
  return store.put(
    key,
    (async function* () {
      yield bytes;
    })(),
    { sizeMaxBytes: bytes.length },
  );
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(Uint8Array.from(piece));
  return Buffer.concat(pieces);
}

/** A checkpoint of one model file. */
export const modelOf = (tensors: TestTensors): Upload => ({
  'model.safetensors': { role: 'model', bytes: safetensors(tensors) },
});

/** The same with gradient averages. */
export const withGradients = (tensors: TestTensors, gradients: TestTensors): Upload => ({
  ...modelOf(tensors),
  'sensitivity.safetensors': { role: 'sensitivity', bytes: safetensors(gradients) },
});

/** The data of one tensor of a safetensors file. */
export function tensorBytes(file: Buffer, name: string): Buffer {
  const { startBytes, endBytes } = parseSafetensorsHeader(file, file.length).tensors.find(
    (tensor) => tensor.name === name,
  )!;
  return file.subarray(startBytes, endBytes);
}

export function floatsOf(file: Buffer, name: string): Float32Array {
  return new Float32Array(Uint8Array.from(tensorBytes(file, name)).buffer);
}
