import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import {
  modelOf,
  openCompressHarness,
  sha256,
  sixteenBins,
  type CompressHarness,
  type Upload,
} from '../compress/harness/compress-harness.test-support.ts';
import { f32, noise, tinyWeights, type TestTensors } from '../compress/harness/tiny-model.test-support.ts';
import { Restorer } from '../restore/restorer.ts';
import { deleteCheckpoint } from './delete-checkpoint.ts';
import { deleteRun } from './delete-run.ts';
import { mergeJobKind, queueMerge, runMergeJob } from './merge/merge-run.ts';
import { collectNow } from './garbage/collect-now.test-support.ts';
import { noTracer } from '../telemetry/tracer.ts';

let harness: CompressHarness;
let repositoryId: string;
let repositories = 0;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());
// Each test has a repository of its own, so that packages of other tests cannot be ancestors.
beforeEach(async () => {
  repositoryId = (
    await harness.catalog.repositories.create({ namespace: 'acme', name: `shared-${repositories++}`, type: 'model' })
  ).id;
});

const newExactRun = (changes: Partial<Run> = {}): Promise<Run> =>
  harness.newRun({ fidelity: 'exact', thresholds: {}, repositoryId, ...changes });

/** Layers of 320 KB. Equal seeds give equal weights. */
const layers = (...seeds: readonly number[]): TestTensors =>
  Object.fromEntries(seeds.map((seed, i) => [`layers.${i}.weight`, f32([200, 400], noise(80_000, seed))]));
const frozen = (...seeds: readonly number[]): Upload => modelOf(layers(1, 2, ...seeds));

async function expectWhole(checkpoint: Checkpoint, files: Upload): Promise<void> {
  for (const [path, { bytes }] of Object.entries(files))
    expect(sha256(await harness.download(checkpoint, path)), path).toBe(sha256(bytes));
}

describe('what a run that has nothing of its own shares with another run is stored once', () => {
  test('frozen layers take next to nothing, and the run goes on from there', async () => {
    const first = await harness.push(await newExactRun(), 3, frozen(3, 4));
    const run = await newExactRun();
    const second = await harness.push(run, 0, frozen(5, 6));
    expect(second.result).toMatchObject({ kind: 'delta', chainLength: 2, ancestorStep: 3 });
    expect(second.result!.storedBytes / first.result!.storedBytes).toBeCloseTo(0.5, 1);
    const third = await harness.push(run, 1, frozen(5, 7));
    expect(third.result).toMatchObject({ kind: 'delta', chainLength: 3, ancestorStep: 0 });
    expect(third.result!.storedBytes / first.result!.storedBytes).toBeCloseTo(0.25, 1);
    for (const [checkpoint, files] of [
      [first, frozen(3, 4)],
      [second, frozen(5, 6)],
      [third, frozen(5, 7)],
    ] as const)
      await expectWhole(checkpoint, files);
  });

  test('of several runs the one that shares most is taken, and of equals the newest', async () => {
    await harness.push(await newExactRun({ name: 'one' }), 0, modelOf(layers(1, 8, 9, 10)));
    await harness.push(await newExactRun({ name: 'three' }), 0, frozen(3, 11));
    await harness.push(await newExactRun({ name: 'three again' }), 0, frozen(3, 12));
    await harness.push(await newExactRun({ name: 'two' }), 0, frozen(13, 14));
    expect((await harness.push(await newExactRun(), 0, frozen(3, 15))).result).toMatchObject({
      ancestorRun: 'three again',
    });
  });

  test('and weights that moved a little since another run are told by what moved', async () => {
    const values = noise(80_000, 21);
    const base = await harness.push(await newExactRun(), 0, modelOf({ w: f32([200, 400], values) }));
    const moved = values.map((x, i) => (i % 7 === 0 ? x * 1.0001 : x));
    const tuned = await harness.push(await newExactRun(), 0, modelOf({ w: f32([200, 400], moved) }));
    expect(tuned.result!.kind).toBe('delta');
    expect(tuned.result!.storedBytes).toBeLessThan(base.result!.storedBytes / 2);
    await expectWhole(tuned, modelOf({ w: f32([200, 400], moved) }));
  });

  test('after a checkpoint of references alone there is what these refer to', async () => {
    const [other, run] = [await newExactRun({ name: 'other' }), await newExactRun()];
    await harness.push(other, 0, frozen(3, 4));
    await harness.push(other, 1, modelOf(layers(31, 32, 33, 34)));
    expect((await harness.push(run, 0, frozen(3, 4))).result).toMatchObject({ kind: 'base' });
    const next = await harness.push(run, 1, frozen(3, 5));
    expect(next.result).toMatchObject({ kind: 'delta', ancestorRun: 'other', ancestorStep: 0 });
    await expectWhole(next, frozen(3, 5));
  });

  test('a lossy run that is stored exact finds it too', async () => {
    await harness.push(await newExactRun({ name: 'other' }), 0, frozen(3, 4));
    // Without eval set and config there is no search.
    const { search, seed } = await newExactRun();
    const run = await harness.catalog.runs.create({
      repositoryId,
      name: 'aimless',
      fidelity: 'lossy',
      thresholds: {},
      search,
      seed,
      layerTypes: {},
    });
    const checkpoint = await harness.push(run, 0, frozen(5, 6));
    expect(checkpoint.result).toMatchObject({ fidelity: 'exact', kind: 'delta', ancestorRun: 'other' });
  });
});

describe('no checkpoint of another run is an ancestor', () => {
  test('of another repository', async () => {
    await harness.push(await newExactRun(), 0, frozen(3, 4));
    const { id } = await harness.catalog.repositories.create({
      namespace: 'acme',
      name: `elsewhere-${repositories}`,
      type: 'model',
    });
    expect((await harness.push(await newExactRun({ repositoryId: id }), 0, frozen(5, 6))).result).toMatchObject({
      kind: 'base',
    });
  });

  test('where it saves less than an eighth', async () => {
    const many = [...Array(17).keys()].map((i) => 100 + i);
    await harness.push(await newExactRun(), 0, modelOf(layers(...many)));
    expect(
      (await harness.push(await newExactRun(), 0, modelOf(layers(100, ...many.slice(1).map((seed) => seed + 100)))))
        .result!.kind,
    ).toBe('base');
  });

  test('where its chain is full, its bytes are damaged, or there is next to nothing to store', async () => {
    const first = await harness.push(await newExactRun(), 0, frozen(3, 4));
    const full = await harness.push(await newExactRun(), 0, frozen(5, 6), {
      ctx: harness.context({ chainLengthMax: 1 }),
    });
    expect(full.result!.kind).toBe('base');
    await deleteCheckpoint(harness, full);
    const small = { ...frozen(3, 4), 'config.json': { role: 'other', bytes: Buffer.alloc(1000, 'config') } } as const;
    expect((await harness.push(await newExactRun(), 0, small)).result!.kind).toBe('base');
    await harness.store.delete((await harness.catalog.packages.get(first.packageId!))!.key);
    const after = await harness.push(await newExactRun(), 0, frozen(5, 6));
    expect(after.result!.kind).toBe('base');
    await expectWhole(after, frozen(5, 6));
  });

  test('where the run has a lineage: a base that is due stays one', async () => {
    await harness.push(await newExactRun(), 0, frozen(3, 4));
    const run = await newExactRun();
    const ctx = harness.context({ chainLengthMax: 2 });
    const kinds: string[] = [];
    for (const step of [0, 1]) kinds.push((await harness.push(run, step, frozen(5, 6 + step), { ctx })).result!.kind);
    expect(kinds).toEqual(['delta', 'base']);
  });
});

describe('deletion keeps what other runs build on, and leaves nothing behind', () => {
  test.each([
    [0, 1, 2],
    [1, 0, 2],
    [2, 1, 0],
  ])('three runs one behind the other, deleted in the order %i %i %i', async (...order) => {
    const before = await harness.objects();
    const uploads = [frozen(3, 4), frozen(5, 6), frozen(5, 7)];
    const made: { readonly run: Run; readonly checkpoint: Checkpoint; readonly files: Upload }[] = [];
    for (const files of uploads) {
      const run = await newExactRun();
      made.push({ run, checkpoint: await harness.push(run, 0, files), files });
    }
    expect(made.map(({ checkpoint }) => checkpoint.result!.chainLength)).toEqual([1, 2, 3]);
    const left = new Set(made);
    for (const number of order) {
      await deleteRun(harness, made[number]!.run);
      left.delete(made[number]!);
      for (const { checkpoint, files } of left) await expectWhole(checkpoint, files);
    }
    await collectNow(harness);
    expect(await harness.objects()).toEqual(before);
  });

  test('an ancestor that goes before the commit: the job is tried again and stores a base', async () => {
    const first = await harness.push(await newExactRun(), 0, frozen(3, 4));
    const { id } = await harness.queue(await newExactRun(), 0, frozen(5, 6));
    const { catalog } = harness;
    let verified = false;
    let deleted = false;
    const racing = harness.context({
      publish: (_, note) => {
        if (note.type === 'phase' && note.phase === 'verify') verified = true;
      },
      catalog: {
        ...catalog,
        // The committing transaction; earlier ones only record progress.
        transaction: async (work) => {
          if (verified && !deleted) {
            deleted = true;
            await deleteCheckpoint(harness, first);
          }
          return catalog.transaction(work);
        },
      },
    });
    await expect(harness.work(racing)).rejects.toMatchObject({ code: 'conflict' });
    await harness.work();
    const checkpoint = await harness.checkpoint(id);
    expect(checkpoint.result!.kind).toBe('base');
    await expectWhole(checkpoint, frozen(5, 6));
  });
});

test('deltas of a lossy run that an exact one builds on are merged around it, and both come back', async () => {
  const run = await harness.newFixedRun({ method: 'residual', step: 0 }, { repositoryId });
  const table = { dtype: 'I64', shape: [60_000], data: Buffer.from(noise(120_000, 50).buffer) } as const;
  const model = (step: number): TestTensors => ({ ...tinyWeights(step), table });
  const queueing = harness.context({ afterCommit: (tx, { runId }) => queueMerge(tx, runId) });
  const lossy: Checkpoint[] = [];
  const push = async (step: number): Promise<void> => {
    lossy.push(await harness.push(run, step, modelOf(model(step)), { ctx: queueing }));
  };
  for (const step of [0, 1, 2]) await push(step);
  const other = await newExactRun();
  const exact = await harness.push(other, 0, modelOf({ table, more: f32([100], noise(100, 51)) }));
  expect(exact.result).toMatchObject({ kind: 'delta', ancestorRun: run.name, ancestorStep: 2 });
  for (let step = 3; step < 11; step++) await push(step);
  const digests = await Promise.all(
    lossy.map(async (each) => sha256(await harness.download(each, 'model.safetensors'))),
  );
  const { catalog, store, core } = harness;
  const freshRestorer = () => new Restorer({ core, store, indexCacheBytesMax: 2 ** 20, blockCacheBytesMax: 0 });
  const merging = { catalog, store, core, freshRestorer, cacheMaxBytes: 2 ** 16, blockParallel: 2, tracer: noTracer };
  for (;;) {
    const [job] = await catalog.jobs.claim({ kinds: [mergeJobKind], workerId: 'test', leaseMs: 60_000, limit: 1 });
    if (job === undefined) break;
    await runMergeJob(
      merging,
      job.subjectId,
      { jobId: job.id, workerId: 'test', fence: job.fence },
      new AbortController().signal,
    );
  }
  const merged = await Promise.all(
    lossy.map(async ({ packageId }) => (await catalog.packages.get(packageId!))!.mergedPackageId !== undefined),
  );
  expect(merged).toContain(true);
  await expectWhole(exact, modelOf({ table, more: f32([100], noise(100, 51)) }));
  for (const [i, each] of lossy.entries())
    expect(sha256(await harness.download(each, 'model.safetensors'))).toBe(digests[i]);
  await deleteRun(harness, run);
  await expectWhole(exact, modelOf({ table, more: f32([100], noise(100, 51)) }));
  expect(await harness.rawPaths(exact)).toEqual([]);
});

test('levels of another run are no help to an exact one', async () => {
  await harness.push(await harness.newFixedRun(sixteenBins, { repositoryId }), 0, modelOf(tinyWeights(0)));
  expect((await harness.push(await newExactRun(), 0, modelOf(tinyWeights(1)))).result!.kind).toBe('base');
});
