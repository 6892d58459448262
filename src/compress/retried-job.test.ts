import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { EvalSet } from '../catalog/contract/eval-set-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import {
  modelOf,
  openCompressHarness,
  put,
  sha256,
  type CompressHarness,
} from './harness/compress-harness.test-support.ts';
import { markEncodeEnded } from './encode-job.ts';
import { tinyBatches, tinyGraph, tinySpec, tinyWeights } from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

/** A committed checkpoint with a job that ended as failed. */
async function failed(run: Run, step: number): Promise<Checkpoint> {
  const { catalog } = harness;
  const queued = await harness.queue(run, step, modelOf(tinyWeights(step)));
  const [job] = await catalog.jobs.claim({ kinds: ['encode'], workerId: 'test', leaseMs: 60_000, limit: 1 });
  await catalog.transaction(async (tx) => {
    await tx.jobs.fail({ jobId: job!.id, workerId: 'test', fence: job!.fence }, 'no', 'never');
    await markEncodeEnded(tx, queued.id, { as: 'failed', error: new FirnError('graph-missing-weights', 'no') });
  });
  return harness.checkpoint(queued.id);
}

/** Retries a checkpoint like the API does, and works on it at once. */
async function retry(
  { id, runId, sequence }: Checkpoint,
  evaluation: Pick<Run, 'evalSetId' | 'thresholds'>,
): Promise<Checkpoint> {
  await harness.catalog.transaction(async (tx) => {
    await tx.checkpoints.retry(id, evaluation);
    await tx.jobs.restart({ kind: 'encode', subjectId: id, orderKey: runId, orderSequence: sequence });
  });
  await harness.work();
  return harness.checkpoint(id);
}

/** The tiny eval set under another name, with another name for its metric. */
async function otherEvalSet(run: Run): Promise<EvalSet> {
  const { catalog, store } = harness;
  const spec = {
    ...tinySpec,
    metrics: tinySpec.metrics.map((metric) => ({ ...metric, name: `other-${metric.name}` })),
  };
  const { id } = await catalog.evalSets.create({ repositoryId: run.repositoryId, name: 'other', spec });
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

test('a step tried again after a newer one is ready keeps no raw model and gives the same bytes', async () => {
  const undisturbed = await harness.newRun();
  for (const step of [0, 1]) await harness.push(undisturbed, step, modelOf(tinyWeights(step)));
  const expected = (await harness.catalog.checkpoints.find(undisturbed.id, 1))!;

  const run = await harness.newRun();
  await harness.push(run, 0, modelOf(tinyWeights(0)));
  const bad = await failed(run, 1);
  const newer = await harness.push(run, 2, modelOf(tinyWeights(2)));
  expect(await harness.rawPaths(bad)).toEqual(['model.safetensors']);
  const staged = (await harness.catalog.files.list(bad.id))[0]!.rawKey!;
  const ready = await retry(bad, run);
  expect(ready).toMatchObject({ state: 'ready', result: { kind: 'delta', ancestorStep: 0, fidelity: 'lossy' } });
  // The key of the first attempt may still exist, pending deletion.
  expect((await harness.catalog.packages.get(ready.packageId!))!.key).toMatch(/-2$/);
  expect(await harness.rawPaths(ready)).toEqual([]);
  expect(await harness.objects()).not.toContain(staged);
  expect(await harness.rawPaths(newer)).toEqual(['model.safetensors']);
  expect(await harness.checkpoint(newer.id)).toEqual(newer);
  expect(await harness.download(ready, 'model.safetensors')).toEqual(
    await harness.download(expected, 'model.safetensors'),
  );
  // The run continues from its newest checkpoint.
  const next = await harness.push(run, 3, modelOf(tinyWeights(3)));
  expect([next.state, await harness.rawPaths(newer), await harness.rawPaths(next)]).toEqual([
    'ready',
    [],
    ['model.safetensors'],
  ]);
});

test('a step tried again behind a deleted newer one keeps its raw model until a later step is ready', async () => {
  const run = await harness.newRun();
  await harness.push(run, 0, modelOf(tinyWeights(0)));
  const bad = await failed(run, 1);
  const deleted = await harness.push(run, 2, modelOf(tinyWeights(2)));
  await harness.catalog.checkpoints.hide(deleted.id);
  const ready = await retry(bad, run);
  expect([ready.state, await harness.rawPaths(ready)]).toEqual(['ready', ['model.safetensors']]);
  const next = await harness.push(run, 3, modelOf(tinyWeights(3)));
  expect([await harness.rawPaths(ready), await harness.rawPaths(next)]).toEqual([[], ['model.safetensors']]);
});

test('the last step of a run, tried again, keeps its raw model, and the one before gives its own up', async () => {
  const run = await harness.newRun();
  const first = await harness.push(run, 0, modelOf(tinyWeights(0)));
  const ready = await retry(await failed(run, 1), run);
  expect([await harness.rawPaths(first), await harness.rawPaths(ready)]).toEqual([[], ['model.safetensors']]);
});

test('a checkpoint is measured with its own eval set, and the binding of its run stays that of the run', async () => {
  const run = await harness.newRun();
  await harness.push(run, 0, modelOf(tinyWeights(0)));
  const other = await otherEvalSet(run);
  const [metric] = Object.keys(run.thresholds);
  const ready = await retry(await failed(run, 1), { evalSetId: other.id, thresholds: { [`other-${metric}`]: 0.03 } });
  expect(ready.state).toBe('ready');
  const names = other.spec.metrics.map(({ name }) => name).sort();
  expect(Object.keys(ready.result!.baseline!).sort()).toEqual(names);
  expect(ready.result!.degradation![`other-${metric}`]).toBeLessThanOrEqual(0.03);
  expect(await harness.catalog.runs.get(run.id)).toMatchObject({
    evalSetId: run.evalSetId,
    bindingEvalSetId: run.evalSetId,
  });
  // A later checkpoint is measured with the run's settings.
  expect(Object.keys((await harness.push(run, 2, modelOf(tinyWeights(2)))).result!.baseline!)).toEqual(
    tinySpec.metrics.map(({ name }) => name),
  );
});
