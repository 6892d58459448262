import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { PackageRecord } from '../../catalog/contract/storage/package-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { chainCost } from '../../compress/ancestor/chain-cost.ts';
import {
  collect,
  modelOf,
  openCompressHarness,
  sha256,
  type CompressHarness,
  type Upload,
} from '../../compress/harness/compress-harness.test-support.ts';
import { f32, i64, noise } from '../../compress/harness/tiny-model.test-support.ts';
import { digestBytes } from '../../restore/digest-bytes.ts';
import { Restorer } from '../../restore/restorer.ts';
import { deleteCheckpoint } from '../delete-checkpoint.ts';
import { collectNow } from '../garbage/collect-now.test-support.ts';
import { deletePending } from '../garbage/delete-pending.ts';
import { mergedPackageId } from './write-merged.ts';
import { markMergeEnded, mergeJobKind, queueMerge, runMergeJob, type MergeContext } from './merge-run.ts';
import { noTracer } from '../../telemetry/tracer.ts';

let harness: CompressHarness;
let merging: MergeContext;
beforeAll(async () => {
  harness = await openCompressHarness();
  const { catalog, store, core } = harness;
  const freshRestorer = () => new Restorer({ core, store, indexCacheBytesMax: 2 ** 20, blockCacheBytesMax: 0 });
  merging = { catalog, store, core, freshRestorer, cacheMaxBytes: 2 ** 16, blockParallel: 2, tracer: noTracer };
});
afterAll(() => harness.close());

const steps = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** Number of runs so far: each has random states of its own, so that its files differ from those of other runs. */
let runCount = 0;

/**
 * Most weights do not move; before tuning, a seventh is elsewhere. The files hold a matrix of several blocks, vectors
 * that share one, exact tensors and a file of bytes.
 */
function uploadAt(step: number, { beforeTuning = false } = {}): Upload {
  const moved = (values: Float32Array, one: number): Float32Array => {
    if (beforeTuning) values.forEach((x, i) => (values[i] = x + (i % 7 === 0 ? 0.7 : 0)));
    for (let at = 1; at <= step; at++) values.forEach((x, i) => (values[i] = x + (i % one === at % one ? 0.9 : 0)));
    return values;
  };
  const model = modelOf({
    'a.bias': f32([700], moved(noise(700, 1), 31)),
    counter: i64([3], [step, 7, 2 * step]),
    'fc.weight': f32([400, 800], moved(noise(400 * 800, 5), 100)),
    'z.weight': f32([30, 30], moved(noise(900, 2), 53)),
  });
  return { ...model, 'rng/state.bin': { role: 'other', bytes: Buffer.from(noise(400, 100 * runCount + step).buffer) } };
}

async function pushed(run: Run): Promise<Checkpoint[]> {
  const ctx = harness.context({ afterCommit: (tx, { runId }) => queueMerge(tx, runId) });
  const checkpoints: Checkpoint[] = [];
  for (const step of steps) checkpoints.push(await harness.push(run, step, uploadAt(step), { ctx }));
  return checkpoints;
}

/** Runs merge jobs until there are none; returns their number. */
async function mergeAll(ctx = merging): Promise<number> {
  for (let done = 0; ; done++) {
    const [job] = await harness.catalog.jobs.claim({
      kinds: [mergeJobKind],
      workerId: 'test',
      leaseMs: 60_000,
      limit: 1,
    });
    if (job === undefined) return done;
    await runMergeJob(
      ctx,
      job.subjectId,
      { jobId: job.id, workerId: 'test', fence: job.fence },
      new AbortController().signal,
    );
  }
}

const recordOf = async ({ packageId }: Checkpoint): Promise<PackageRecord> =>
  (await harness.catalog.packages.get(packageId!))!;

async function digests(checkpoint: Checkpoint): Promise<Record<string, string>> {
  const files = await harness.catalog.files.list(checkpoint.id);
  return Object.fromEntries(
    await Promise.all(files.map(async ({ path }) => [path, sha256(await harness.download(checkpoint, path))])),
  );
}

async function storedBytes(): Promise<number> {
  let bytes = 0;
  for await (const object of harness.store.list('packages/')) bytes += object.storedBytes;
  return bytes;
}

describe('a run whose old deltas are merged', () => {
  let run: Run;
  let checkpoints: Checkpoint[];
  let before: PackageRecord[];
  let downloads: Record<string, string>[];
  beforeEach(async () => {
    run = await harness.newFixedRun({ method: 'residual', step: 0 });
    runCount += 1;
    checkpoints = await pushed(run);
    expect(checkpoints.slice(0, 8).map(({ result }) => result?.chainLength)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    before = await Promise.all(checkpoints.map(recordOf));
    downloads = await Promise.all(checkpoints.map(digests));
  });

  test('keeps every byte of every checkpoint, takes fewer, and leaves the newest alone', async () => {
    expect(await mergeAll()).toBeGreaterThan(0);
    const after = await Promise.all(checkpoints.map(recordOf));
    expect(after.map(({ mergedPackageId, position }) => [mergedPackageId !== undefined, position])).toEqual(
      steps.map((step) => [step > 0 && step < 5, step > 0 && step < 5 ? step - 1 : 0]),
    );
    expect(new Set(after.slice(1, 5).map(({ key, sizeBytes }) => `${key} ${sizeBytes}`)).size).toBe(1);
    expect(await Promise.all(checkpoints.map(digests))).toEqual(downloads);

    const sum = (records: readonly PackageRecord[]) => records.reduce((total, each) => total + each.storedBytes, 0);
    expect(sum(after)).toBeLessThan(sum(before));
    expect(sum(after.slice(1, 5))).toBe((await harness.store.stat(after[1]!.key))!.storedBytes);
    const results = await Promise.all(checkpoints.map(({ id }) => harness.checkpoint(id)));
    for (const [i, { result }] of results.entries())
      expect(result!.storedBytes - checkpoints[i]!.result!.storedBytes).toBe(
        after[i]!.storedBytes - before[i]!.storedBytes,
      );
  });

  test('goes on: what is pushed and merged later builds on what was merged', async () => {
    await mergeAll();
    const ctx = harness.context({
      afterCommit: (tx, { runId }) => queueMerge(tx, runId),
      freshRestorer: merging.freshRestorer,
    });
    const later: Checkpoint[] = [];
    for (const step of [11, 12, 13, 14, 15]) later.push(await harness.push(run, step, uploadAt(step), { ctx }));
    const all = [...checkpoints, ...later];
    const whole = await Promise.all(all.map(digests));
    await mergeAll();
    const after = await Promise.all(all.map(recordOf));
    expect(after.filter(({ mergedPackageId }) => mergedPackageId !== undefined)).toHaveLength(8);
    expect(await Promise.all(all.map(digests))).toEqual(whole);
  });

  test('has nothing to wait for once it is closed: all its deltas but the last are merged', async () => {
    await harness.catalog.transaction(async (tx) => {
      await tx.runs.setClosed(run.id, true);
      await queueMerge(tx, run.id);
    });
    await mergeAll();
    const after = await Promise.all(checkpoints.map(recordOf));
    expect(after.map(({ mergedPackageId }) => mergedPackageId !== undefined)).toEqual(
      steps.map((step) => step > 0 && step < 9),
    );
    expect(await Promise.all(checkpoints.map(digests))).toEqual(downloads);
  });

  test('a reader who opened the old packages goes on reading them until they are deleted', async () => {
    const known = await harness.catalog.packages.chain(before[6]!.id);
    // Remains of earlier tests.
    await collectNow(harness);
    await mergeAll();
    await deletePending(harness, { graceMs: 60_000 });
    const chain = await merging.freshRestorer().open(known);
    expect((await digestBytes(chain.file('model.safetensors').passing())).sha256).toBe(
      downloads[6]!['model.safetensors'],
    );
    await chain.close();

    const all = await storedBytes();
    await collectNow(harness);
    expect(await storedBytes()).toBe(all - before.slice(1, 5).reduce((sum, each) => sum + each.storedBytes, 0));
    for (const { key } of before.slice(1, 5)) expect(await harness.store.stat(key)).toBeUndefined();
    expect(await digests(checkpoints[6]!)).toEqual(downloads[6]);
  });

  test('a deleted checkpoint stays for what builds on it, and the last leaves its share to the previous', async () => {
    await mergeAll();
    await deleteCheckpoint(harness, checkpoints[2]!);
    expect(await digests(checkpoints[3]!)).toEqual(downloads[3]);
    const shares = await Promise.all(checkpoints.slice(1, 5).map(recordOf));
    for (const checkpoint of checkpoints.slice(4).reverse()) await deleteCheckpoint(harness, checkpoint);
    const [third] = await Promise.all([recordOf(checkpoints[3]!)]);
    expect(third.storedBytes).toBe(shares[2]!.storedBytes + shares[3]!.storedBytes);
    expect((await harness.checkpoint(checkpoints[3]!.id)).result!.storedBytes).toBeGreaterThan(third.storedBytes - 1);
    expect(await harness.store.stat(third.key)).toBeDefined();
    expect(await digests(checkpoints[3]!)).toEqual(downloads[3]);
    for (const at of [3, 1, 0]) await deleteCheckpoint(harness, checkpoints[at]!);
    await collectNow(harness);
    expect(await harness.store.stat(third.key)).toBeUndefined();
  });

  test('is left as it is when the job is lost by the time they are merged', async () => {
    const { catalog } = harness;
    const jobs = {
      ...catalog.jobs,
      complete: () => Promise.reject(new FirnError('conflict', 'The job is no longer held by this worker.')),
    };
    const lost = {
      ...merging,
      catalog: {
        ...catalog,
        transaction: (work) => catalog.transaction((tx) => work({ ...tx, jobs })),
      } as typeof catalog,
    };
    await expect(mergeAll(lost)).rejects.toMatchObject({ code: 'conflict' });
    expect(await Promise.all(checkpoints.map(recordOf))).toEqual(before);
    expect(
      (await harness.objects()).filter((key) => key.includes(mergedPackageId(before.slice(1, 5).map(({ id }) => id)))),
    ).toEqual([]);
  });

  test('is left as it is when what was written is not what was merged', async () => {
    const { store } = harness;
    const put = store.put.bind(store);
    store.put = async (key, body, options) => {
      const bytes = await collect(body);
      bytes[40]! ^= 1;
      return put(key, Readable.from([bytes]), options);
    };
    const damage = await mergeAll()
      .catch((error: unknown) => error)
      .finally(() => {
        store.put = put;
      });
    expect(damage).toMatchObject({ code: 'corrupt-package' });
    expect(
      (await harness.objects()).filter((key) => key.includes(mergedPackageId(before.slice(1, 5).map(({ id }) => id)))),
    ).toEqual([]);
    expect(await Promise.all(checkpoints.map(recordOf))).toEqual(before);
    expect(await Promise.all(checkpoints.map(digests))).toEqual(downloads);

    await markMergeEnded(harness.catalog, run.id);
    expect((await recordOf(checkpoints[1]!)).mergeTried).toBe(true);
  });
});

test('of a lossy run behind an exact base all but the first delta are merged', async () => {
  runCount += 1;
  const base = await harness.push(
    await harness.newRun({ fidelity: 'exact', thresholds: {} }),
    0,
    uploadAt(0, { beforeTuning: true }),
  );
  const run = await harness.newFixedRun({ method: 'residual', step: -40 }, { parentCheckpointId: base.id });
  const checkpoints = await pushed(run);
  const before = await Promise.all(checkpoints.map(recordOf));
  expect(before.slice(0, 4).map(({ ancestorId }) => ancestorId)).toEqual([
    base.packageId,
    ...before.slice(0, 3).map(({ id }) => id),
  ]);
  const downloads = await Promise.all(checkpoints.map(digests));
  expect(await mergeAll()).toBeGreaterThan(0);
  const after = await Promise.all(checkpoints.map(recordOf));
  expect(after.slice(0, 5).map(({ mergedPackageId }) => mergedPackageId !== undefined)).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
  expect(await Promise.all(checkpoints.map(digests))).toEqual(downloads);
});

test('deltas that have nothing in common are left as they are, and are not tried again', async () => {
  const run = await harness.newFixedRun({ method: 'residual', step: -32 });
  const ctx = harness.context({ afterCommit: (tx, { runId }) => queueMerge(tx, runId) });
  const checkpoints: Checkpoint[] = [];
  const weights = noise(40_000, 9);
  for (const step of steps) {
    // A few weights jump anywhere by any distance, so that joint symbols are many and rare.
    for (const [i, x] of noise(weights.length, 50 + step).entries())
      if (step > 0 && Math.abs(x) > 2) weights[i]! += 20 * (x - 2 * Math.sign(x));
    checkpoints.push(await harness.push(run, step, modelOf({ 'fc.weight': f32([100, 400], weights) }), { ctx }));
  }
  const before = await Promise.all(checkpoints.map(recordOf));
  await mergeAll();
  const after = await Promise.all(checkpoints.map(recordOf));
  expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key));
  expect(after.some(({ mergeTried }) => mergeTried)).toBe(true);
  expect(
    (await harness.objects()).filter((key) => key.startsWith('packages/') && !after.some((each) => each.key === key)),
  ).not.toContain(expect.stringContaining(mergedPackageId(before.slice(1, 5).map(({ id }) => id))));
  await harness.catalog.transaction((tx) => queueMerge(tx, run.id));
  expect(await mergeAll()).toBe(0);
});

test.each([
  ['of one run', false],
  ['of a run and its fork', true],
])('a group that saves nothing is merged once the chain %s is nearly full, for little more bytes', async (_, forks) => {
  let run = await harness.newFixedRun({ method: 'residual', step: 0 });
  const ctx = harness.context({ afterCommit: (tx, { runId }) => queueMerge(tx, runId) });
  const weights = noise(40_000, 9);
  const checkpoints: Checkpoint[] = [];
  const pushTo = async (count: number): Promise<void> => {
    for (let step = checkpoints.length; step < count; step++) {
      // Every weight moves a little, and a few jump so far that their joint symbols are rare.
      for (const [i, x] of noise(weights.length, 50 + step).entries())
        if (step > 0) weights[i]! += Math.abs(x) > 2.6 ? 20 * (x - 2.6 * Math.sign(x)) : 0.2 * x;
      checkpoints.push(await harness.push(run, step, modelOf({ 'fc.weight': f32([100, 400], weights) }), { ctx }));
    }
  };
  const records = () => Promise.all(checkpoints.map(recordOf));
  const newestChain = async () =>
    chainCost(await harness.catalog.packages.chain((await recordOf(checkpoints.at(-1)!)).id));

  await pushTo(10);
  await mergeAll();
  expect((await records()).filter(({ mergedPackageId }) => mergedPackageId !== undefined)).toEqual([]);

  if (forks)
    run = await harness.newFixedRun(
      { method: 'residual', step: 0 },
      { parentCheckpointId: checkpoints.at(-1)!.id, repositoryId: run.repositoryId },
    );
  await pushTo(14);
  const [before, chainBefore] = [await records(), await newestChain()];
  expect(chainBefore.packages).toBe(14);
  // Of the two groups the later one: 1 to 4, 5 to 8. The newest four of a run are left out.
  const group = forks ? before.slice(1, 5) : before.slice(5, 9);
  const downloads = await Promise.all(checkpoints.map(digests));
  await mergeAll();
  const [after, chainAfter] = [await records(), await newestChain()];
  const merged = after.filter(({ mergedPackageId }) => mergedPackageId !== undefined);
  expect(merged.map(({ id }) => id)).toEqual(group.map(({ id }) => id));
  const sum = (found: readonly PackageRecord[]) => found.reduce((total, each) => total + each.storedBytes, 0);
  expect(sum(merged)).toBeGreaterThan(sum(group));
  expect(sum(merged)).toBeLessThan((1 + 1 / 16) * sum(group));
  expect(chainAfter.packages).toBe(12);
  expect(await Promise.all(checkpoints.map(digests))).toEqual(downloads);
});

test('deltas in buckets are merged, and every checkpoint comes back as it was', async () => {
  const run = await harness.newFixedRun({ method: 'lc-checkpoint', bits: 2 });
  runCount += 1;
  const checkpoints = await pushed(run);
  const before = await Promise.all(checkpoints.map(recordOf));
  const downloads = await Promise.all(checkpoints.map(digests));
  expect(await mergeAll()).toBeGreaterThan(0);
  const after = await Promise.all(checkpoints.map(recordOf));
  const merged = after.filter(({ mergedPackageId }) => mergedPackageId !== undefined);
  expect(merged.length).toBeGreaterThanOrEqual(4);
  expect(await Promise.all(checkpoints.map(digests))).toEqual(downloads);
  const sum = (records: readonly PackageRecord[]) => records.reduce((total, each) => total + each.storedBytes, 0);
  expect(sum(after)).toBeLessThan(sum(before));

  // The next one builds on what was merged.
  const ctx = harness.context({ freshRestorer: merging.freshRestorer });
  const later = await harness.push(run, 11, uploadAt(11), { ctx });
  expect(later.state).toBe('ready');
  expect(await digests(later)).toMatchObject({ 'model.safetensors': expect.any(String) });
});
