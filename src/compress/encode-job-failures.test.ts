import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Claim } from '../catalog/contract/work/job-records.ts';
import { expectCode } from '../catalog/catalog-fixtures.test-support.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import type { JobEvent } from '../jobs/job-event.ts';
import { startWorker } from '../jobs/job-worker.ts';
import { fileNameOf, shardOf } from '../store/filesystem/filesystem-path.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { compressCheckpoint } from './compress-checkpoint.ts';
import type { EncodePhase } from './compress-context.ts';
import { markEncodeEnded, runEncodeJob } from './encode-job.ts';
import {
  collect,
  modelOf,
  openCompressHarness,
  sixteenBins,
  tinySearch,
  withGradients,
  type CompressHarness,
} from './harness/compress-harness.test-support.ts';
import { tinyGradients, tinyWeights } from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

const upload = (step: number) => withGradients(tinyWeights(step), tinyGradients(step));

/** The store; counts open readers and fails as a test specifies. */
function watchedStore(changes: Partial<ObjectStore> = {}): ObjectStore & { openReaders(): number } {
  const { store } = harness;
  let readers = 0;
  return {
    put: (...args) => store.put(...args),
    stat: (key) => store.stat(key),
    delete: (key) => store.delete(key),
    deleteMany: (keys) => store.deleteMany(keys),
    sweepUnfinished: (before, signal) => store.sweepUnfinished(before, signal),
    list: (prefix) => store.list(prefix),
    probe: () => store.probe(),
    close: async () => undefined,
    async open(key) {
      const reader = await store.open(key);
      readers += 1;
      return {
        sizeBytes: reader.sizeBytes,
        read: (...args) => reader.read(...args),
        stream: (...args) => reader.stream(...args),
        close: async () => {
          readers -= 1;
          await reader.close();
        },
      };
    },
    openReaders: () => readers,
    ...changes,
  };
}

/** Counts evaluations. */
function countedEvaluator(): Evaluator & { evaluations(): number } {
  let evaluations = 0;
  const { evaluator } = harness;
  return {
    parallelOn: evaluator.parallelOn,
    kinds: evaluator.kinds,
    fallsBack: evaluator.fallsBack,
    check: evaluator.check,
    close: evaluator.close,
    inputGrams: evaluator.inputGrams,
    evaluate: (...args) => {
      evaluations += 1;
      return evaluator.evaluate(...args);
    },
    evaluateParts: (...args) => {
      evaluations += 1;
      return evaluator.evaluateParts(...args);
    },
    examine: (...args) => {
      evaluations += 1;
      return evaluator.examine(...args);
    },
    evaluations: () => evaluations,
  };
}

describe('a cancelled encode', () => {
  test.each<EncodePhase>(['read', 'search', 'encode', 'verify'])(
    'in its phase "%s" leaves nothing behind, and the next try gives the bytes of an undisturbed one',
    async (phase) => {
      const run = await harness.newRun();
      await harness.push(run, 0, upload(0));
      const before = await harness.objects();
      const queued = await harness.queue(run, 1, upload(1));
      const [rows, staged] = [
        await harness.catalog.files.list(queued.id),
        (await harness.objects()).filter((key) => !before.includes(key)),
      ];
      const stop = new AbortController();
      const store = watchedStore();
      const disturbed = harness.context({
        store,
        publish: (_, note) => {
          if (note.type === 'phase' && note.phase === phase) stop.abort(new Error('stopped here'));
        },
      });
      await expect(harness.work(disturbed, stop.signal)).rejects.toThrow();
      expect(await harness.scratch()).toEqual([]);
      expect(store.openReaders()).toBe(0);
      expect(await harness.objects()).toEqual([...before, ...staged].sort());
      const checkpoint = await harness.checkpoint(queued.id);
      expect([checkpoint.state, checkpoint.packageId, checkpoint.result]).toEqual(['working', undefined, undefined]);
      expect((await harness.catalog.files.list(queued.id)).map((file) => file.rawKey)).toEqual(
        rows.map((file) => file.rawKey),
      );

      // Released objects stay, so that the same checkpoint can be encoded again for comparison.
      await harness.work(harness.context({ store: watchedStore({ deleteMany: async () => undefined }) }));
      const ready = await harness.checkpoint(queued.id);
      expect(ready).toMatchObject({ state: 'ready', result: { kind: 'delta', ancestorStep: 0 } });
      const undisturbed = await compressCheckpoint(
        forgettingTrials(),
        { checkpoint: queued, run: (await harness.catalog.runs.get(run.id))!, rows, attempt: 99 },
        new AbortController().signal,
      );
      const reader = await harness.store.open(undisturbed.packageKey);
      expect(await collect(reader.stream())).toEqual(await harness.packageBytes(ready));
      await reader.close();
    },
  );

  test('before it begins does nothing', async () => {
    const run = await harness.newRun();
    const queued = await harness.queue(run, 0, upload(0));
    const reason = new Error('not now');
    await expect(harness.work(harness.context(), AbortSignal.abort(reason))).rejects.toBe(reason);
    expect((await harness.checkpoint(queued.id)).state).toBe('queued');
    await harness.work();
    expect((await harness.checkpoint(queued.id)).state).toBe('ready');
  });
});

async function packagesOf({ id }: Checkpoint): Promise<string[]> {
  return (await harness.objects()).filter((key) => key.startsWith('packages/') && key.includes(id));
}

function forgettingTrials() {
  return harness.context({
    catalog: { ...harness.catalog, trials: { list: async () => [], record: async () => undefined } },
  });
}

describe('a failing store', () => {
  test('that is full while the package is written: the job is tried again, and the raw bytes are kept', async () => {
    const run = await harness.newRun();
    const queued = await harness.queue(run, 0, upload(0));
    let refusals = 1;
    const store = watchedStore({
      async put(key, body, options) {
        if (refusals-- <= 0) return harness.store.put(key, body, options);
        for await (const _ of body) break;
        throw new FirnError('storage-full', 'The storage is full.');
      },
    });
    const events: JobEvent[] = [];
    const afterFailure: unknown[] = [];
    const ctx = harness.context({ store });
    await new Promise<void>((resolve, reject) => {
      const worker = startWorker({
        catalog: harness.catalog,
        workerId: 'w',
        concurrency: 1,
        leaseMs: 60_000,
        pollMs: 10,
        backoff: { firstMs: 1, factor: 1, maxMs: 1, jitter: 0 },
        handlers: {
          encode: {
            async run(job, { claim, signal }) {
              if (events.some(({ kind }) => kind === 'failed'))
                afterFailure.push(
                  (await harness.checkpoint(queued.id)).packageId,
                  await harness.rawPaths(queued),
                  await packagesOf(queued),
                );
              return runEncodeJob(ctx, job.subjectId, claim, signal);
            },
          },
        },
        onFailed: (tx, job, error) => markEncodeEnded(tx, job.subjectId, { as: 'failed', error }),
        onEvent: (event) => {
          events.push(event);
          const ended = event.kind === 'finished' || (event.kind === 'failed' && event.final);
          if (ended) worker.stop(1000).then(resolve, reject);
        },
      });
    });
    expect(events.filter((event) => event.kind === 'failed')).toMatchObject([
      { final: false, error: { code: 'storage-full' } },
    ]);
    expect(afterFailure).toEqual([undefined, ['model.safetensors', 'sensitivity.safetensors'], []]);
    expect(await harness.checkpoint(queued.id)).toMatchObject({ state: 'ready' });
    expect(store.openReaders()).toBe(0);
  });

  test('a full scratch disk is reported as storage-full', async () => {
    const run = await harness.newRun();
    await harness.queue(run, 0, upload(0));
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    await expectCode(
      harness.work(harness.context({ evaluator: { ...harness.evaluator, evaluateParts: () => Promise.reject(full) } })),
      'storage-full',
    );
    await harness.work();
  });

  test('an uploaded file that is missing: an error, no scratch files, no open readers', async () => {
    const run = await harness.newRun({ fidelity: 'exact', thresholds: {} });
    const queued = await harness.queue(run, 0, upload(0));
    const store = watchedStore();
    await harness.store.delete((await harness.catalog.files.find(queued.id, 'sensitivity.safetensors'))!.rawKey!);
    await expectCode(harness.work(harness.context({ store })), 'not-found');
    expect(store.openReaders()).toBe(0);
    expect(await harness.scratch()).toEqual([]);
    await harness.catalog.jobs.requestCancel('encode', queued.id);
  });

  test('every reader is closed after success, a sensitivity file without one usable tensor included', async () => {
    const store = watchedStore();
    const run = await harness.newFixedRun(sixteenBins);
    const integers = { count: { dtype: 'I64', shape: [1], data: BigInt64Array.of(1n) } } as const;
    await harness.push(run, 0, withGradients({ ...tinyWeights(0), ...integers }, integers), {
      ctx: harness.context({ store }),
    });
    expect(store.openReaders()).toBe(0);
  });
});

describe('a takeover', () => {
  test.each([
    ['inshrinkerator', 3, {}],
    ['residual', 1, {}],
    ['residual', 1, { standardErrors: 1, divergenceMax: 1, weightErrorMax: 0.5 }],
    ['inshrinkerator', 3, { standardErrors: 1, divergenceMax: 1, weightErrorMax: 0.5 }],
  ] as const)(
    'of %s uses the more than %i recorded trials: none is evaluated again, and the outcome is the same (%o)',
    async (method, least, guards) => {
      const run = await harness.newRun({ search: { ...tinySearch, method, ...guards } });
      const queued = await harness.queue(run, 0, upload(0));
      const stop = new AbortController();
      await expect(
        harness.work(
          harness.context({
            publish: (_, note) => {
              if (note.type === 'phase' && note.phase === 'encode') stop.abort();
            },
          }),
          stop.signal,
        ),
      ).rejects.toThrow();
      const recorded = await harness.catalog.trials.list(queued.id);
      expect(recorded.length).toBeGreaterThan(least);
      const isGuarded = 'divergenceMax' in guards;
      for (const { standardError, observed } of recorded) {
        expect(Object.keys(standardError ?? {})).toEqual(isGuarded ? ['loss', 'accuracy'] : []);
        expect(Object.keys(observed ?? {})).toEqual(isGuarded ? ['kl-divergence'] : []);
      }
      const evaluator = countedEvaluator();
      await harness.work(harness.context({ evaluator }));
      // The upload and the decoded bytes.
      expect(evaluator.evaluations()).toBe(2);
      expect(await harness.catalog.trials.list(queued.id)).toEqual(recorded);
      expect((await harness.checkpoint(queued.id)).result!.trialCount).toBe(recorded.length);
    },
  );

  test('of a claim that is lost before the commit: the first try is refused, the second one stands', async () => {
    const run = await harness.newRun();
    const queued = await harness.queue(run, 0, upload(0));
    const [job] = await harness.catalog.jobs.claim({ kinds: ['encode'], workerId: 'test', leaseMs: 60_000, limit: 1 });
    const first: Claim = { jobId: job!.id, workerId: 'test', fence: job!.fence };
    const lost = verifyingAfter(async () => {
      await harness.catalog.jobs.requeueOwn('test');
      await harness.work();
    });
    await expectCode(runEncodeJob(lost, queued.id, first, new AbortController().signal), 'conflict');
    const ready = await harness.checkpoint(queued.id);
    expect(ready.state).toBe('ready');
    expect(await packagesOf(queued)).toEqual([(await harness.catalog.packages.get(ready.packageId!))!.key]);
    expect((await harness.download(ready, 'model.safetensors')).length).toBeGreaterThan(0);
    expect(await harness.scratch()).toEqual([]);
  });
});

/**
 * A context in which `first` happens between the put of the package and its verification, which begins with a fresh
 * restorer.
 */
function verifyingAfter(first: () => Promise<void>) {
  const base = harness.context();
  return harness.context({
    freshRestorer: () => {
      const restorer = base.freshRestorer();
      const open = restorer.open.bind(restorer);
      return Object.assign(restorer, {
        open: async (...args: Parameters<typeof open>) => {
          await first();
          return open(...args);
        },
      });
    },
  });
}

describe('a damaged ancestor', () => {
  const pathOf = (key: string) => join(harness.directory, 'objects', 'objects', shardOf(key), fileNameOf(key));
  /** Nothing is cached: reads come from the store. */
  const cold = () => harness.context({ restorer: harness.context().freshRestorer() });

  test.each([
    ['its index', -100],
    ['a block', 40],
  ])('%s: the next checkpoint is stored as a base, and says so', async (_, at) => {
    const run = await harness.newRun();
    const first = await harness.push(run, 0, modelOf(tinyWeights(0)));
    const path = pathOf((await harness.catalog.packages.get(first.packageId!))!.key);
    const file = await open(path, 'r+');
    const { size } = await file.stat();
    await file.write(Buffer.from([0xff, 0x00, 0xff, 0x00]), 0, 4, at < 0 ? size + at : at);
    await file.close();
    const second = await harness.push(run, 1, modelOf(tinyWeights(1)), { ctx: cold() });
    expect(second).toMatchObject({
      state: 'ready',
      result: {
        fidelity: 'lossy',
        kind: 'base',
        warnings: [`What is stored of ${run.name}@0 could not be read, so this checkpoint does not build on it.`],
      },
    });
    const third = await harness.push(run, 2, modelOf(tinyWeights(2)), { ctx: cold() });
    expect(third.result).toMatchObject({
      kind: 'delta',
      ancestorStep: 1,
      warnings: expect.not.arrayContaining([expect.stringContaining('could not be read')]),
    });
  });

  test('that is gone, the same', async () => {
    const run = await harness.newFixedRun(sixteenBins);
    const first = await harness.push(run, 0, modelOf(tinyWeights(0)));
    await harness.store.delete((await harness.catalog.packages.get(first.packageId!))!.key);
    expect(await harness.push(run, 1, modelOf(tinyWeights(1)), { ctx: cold() })).toMatchObject({
      state: 'ready',
      result: { kind: 'base' },
    });
  });
});

describe('a failing evaluation', () => {
  test('among several at once ends the search with its error; the others are aborted and waited for', async () => {
    const run = await harness.newRun();
    await harness.queue(run, 0, upload(0));
    let running = 0;
    let allBegun = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      allBegun = resolve;
    });
    let calls = 0;
    const failing: Evaluator = {
      ...harness.evaluator,
      parallelOn: () => 3,
      async evaluateParts(_, __, signal) {
        calls += 1;
        const isFirst = calls === 1;
        running += 1;
        if (running === 3) allBegun();
        try {
          await begun;
          if (isFirst) throw new FirnError('eval-timeout', 'too long');
          await new Promise((resolve) => signal!.addEventListener('abort', resolve));
          // Some time until a child is gone.
          await harness.catalog.probe();
          throw new FirnError('cancelled', 'stopped');
        } finally {
          running -= 1;
        }
      },
    };
    await expectCode(harness.work(harness.context({ evaluator: failing })), 'eval-timeout');
    expect(running).toBe(0);
    expect(await harness.scratch()).toEqual([]);
    await harness.work();
  });

  test('of the decoded bytes that is outside the threshold: not committed, and no package stays', async () => {
    const run = await harness.newRun();
    const queued = await harness.queue(run, 0, upload(0));
    // Trials of an attempt before are recorded, so the decoded bytes are evaluated.
    const full = watchedStore({ put: () => Promise.reject(new FirnError('storage-full', 'no room')) });
    await expectCode(harness.work(harness.context({ store: full })), 'storage-full');
    let verifying = false;
    const ctx = harness.context({
      publish: (_, note) => {
        verifying ||= note.type === 'phase' && note.phase === 'verify';
      },
      evaluator: {
        ...harness.evaluator,
        evaluateParts: async (...args) =>
          verifying ? { whole: { loss: 99, accuracy: 0 } } : harness.evaluator.evaluateParts(...args),
      },
    });
    await expectCode(harness.work(ctx), 'internal');
    expect(await packagesOf(queued)).toEqual([]);
    expect(await harness.checkpoint(queued.id)).toMatchObject({ state: 'working' });
    await harness.work();
  });
});
