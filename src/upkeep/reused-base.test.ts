import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import {
  modelOf,
  openCompressHarness,
  sha256,
  type CompressHarness,
} from '../compress/harness/compress-harness.test-support.ts';
import { f32, noise } from '../compress/harness/tiny-model.test-support.ts';
import { Restorer } from '../restore/restorer.ts';
import { noTracer } from '../telemetry/tracer.ts';
import { deleteCheckpoint } from './delete-checkpoint.ts';
import { collectNow } from './garbage/collect-now.test-support.ts';
import { mergeJobKind, queueMerge, runMergeJob } from './merge/merge-run.ts';

const path = 'model.safetensors';
const count = 26;

let harness: CompressHarness;
let run: Run;
let before: string[];
const pushed: Checkpoint[] = [];
const digests: string[] = [];
/** A fine-tune of which three fifths are frozen. Chains end at sixteen packages, so that the base is reused. */
beforeAll(async () => {
  harness = await openCompressHarness();
  before = await harness.objects();
  run = await harness.newFixedRun({ method: 'residual', step: -32 });
  const weights = [0, 1, 2, 3, 4].map((seed) => noise(8192, seed));
  const ctx = harness.context({ afterCommit: (tx, { runId }) => queueMerge(tx, runId) });
  for (let step = 0; step < count; step++) {
    for (const i of [3, 4]) noise(8192, 10 * step + i).forEach((x, k) => (weights[i]![k]! += 0.1 * x));
    const tensors = weights.map((values, i) => [`layers.${i}.weight`, f32([64, 128], values)]);
    pushed.push(await harness.push(run, step, modelOf(Object.fromEntries(tensors)), { ctx }));
    digests.push(sha256(await harness.download(pushed.at(-1)!, path)));
  }
}, 120_000);
afterAll(() => harness.close());

const reusesOf = (checkpoints: readonly Checkpoint[]): number[] =>
  checkpoints.flatMap(({ result }, step) => (step > 1 && result!.ancestorStep === 0 ? [step] : []));

async function expectAsBefore(steps: readonly number[]): Promise<void> {
  for (const step of steps) expect(sha256(await harness.download(pushed[step]!, path)), `${step}`).toBe(digests[step]);
}

test('old deltas on both sides of the reuse of a base are merged, and checkpoints come back as before', async () => {
  expect(pushed.map(({ result }) => result!.kind)).toEqual(pushed.map((_, i) => (i === 0 ? 'base' : 'delta')));
  expect(reusesOf(pushed).length).toBeGreaterThan(0);
  const { catalog, store, core } = harness;
  const freshRestorer = () => new Restorer({ core, store, indexCacheBytesMax: 2 ** 20, blockCacheBytesMax: 0 });
  const merging = { catalog, store, core, freshRestorer, cacheMaxBytes: 2 ** 16, blockParallel: 2, tracer: noTracer };
  for (;;) {
    const [job] = await catalog.jobs.claim({ kinds: [mergeJobKind], workerId: 'test', leaseMs: 60_000, limit: 1 });
    if (job === undefined) break;
    const claim = { jobId: job.id, workerId: 'test', fence: job.fence };
    await runMergeJob(merging, job.subjectId, claim, new AbortController().signal);
  }
  const [reuse] = reusesOf(pushed);
  const merged = await Promise.all(
    pushed.map(async ({ packageId }) => (await catalog.packages.get(packageId!))!.mergedPackageId !== undefined),
  );
  expect([merged.slice(0, reuse).includes(true), merged.slice(reuse).includes(true)]).toEqual([true, true]);
  await expectAsBefore([...pushed.keys()]);
});

test('deleting a base and its first chain takes nothing from the chain that reuses it', async () => {
  const [reuse] = reusesOf(pushed);
  const later = [...pushed.keys()].slice(reuse);
  for (let step = 0; step < reuse!; step++) await deleteCheckpoint(harness, pushed[step]!);
  await collectNow(harness);
  await expectAsBefore(later);
  // The first chain is gone; its base stays as long as something builds on it.
  const { packages } = harness.catalog;
  const left = await Promise.all(pushed.map(async ({ packageId }) => (await packages.get(packageId!)) !== undefined));
  expect(left).toEqual(pushed.map((_, step) => step === 0 || step >= reuse!));
  for (const step of later) await deleteCheckpoint(harness, pushed[step]!);
  await collectNow(harness);
  expect(await harness.objects()).toEqual(before);
});
