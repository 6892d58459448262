import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { cancelEstimate, estimateCheckpoint } from '../../ingest/checkpoint/estimate-checkpoint.ts';
import { noTracer } from '../../telemetry/tracer.ts';
import {
  modelOf,
  openCompressHarness,
  sixteenBins,
  tinySearch,
  type CompressHarness,
} from '../harness/compress-harness.test-support.ts';
import { tinyWeights } from '../harness/tiny-model.test-support.ts';
import { runEstimateJob } from './estimate-job.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness({ allowDoubted: true });
});
afterAll(() => harness.close());

const residual = { ...tinySearch, method: 'residual' as const };
const config = { role: 'other' as const, bytes: Buffer.alloc(2000, '{"layers": 3}') };
const uploadAt = (step: number) => ({ ...modelOf(tinyWeights(step)), 'config.json': config });
const ask = (run: Run, checkpoint: Checkpoint, loss: number) =>
  estimateCheckpoint({ catalog: harness.catalog, tracer: noTracer }, run, checkpoint, {
    thresholds: { loss },
    allowLarge: true,
  });

async function workOnEstimate(): Promise<void> {
  const { catalog } = harness;
  const [job] = await catalog.jobs.claim({ kinds: ['estimate'], workerId: 'test', leaseMs: 60_000, limit: 1 });
  const claim = { jobId: job!.id, workerId: 'test', fence: job!.fence };
  await runEstimateJob(harness.context(), job!.subjectId, claim, new AbortController().signal);
}

test('an estimate finds what a run with that threshold finds, and leaves nothing behind', async () => {
  const { catalog } = harness;
  const run = await harness.newRun({ search: residual });
  const other = await harness.newRun({ search: residual, thresholds: { loss: 0.2 } });
  const pushed = await harness.push(run, 0, uploadAt(0));
  const before = [await harness.objects(), await catalog.trials.list(pushed.id), await catalog.files.list(pushed.id)];
  expect(await ask(run, pushed, 0.2)).toMatchObject({ state: 'queued', thresholds: { loss: 0.2 } });
  await expect(ask(run, pushed, 0.1)).rejects.toMatchObject({ code: 'conflict' });
  await workOnEstimate();
  const estimate = (await catalog.estimates.get(pushed.id))!;
  expect([await harness.objects(), await catalog.trials.list(pushed.id), await catalog.files.list(pushed.id)]).toEqual(
    before,
  );
  expect(await harness.checkpoint(pushed.id)).toEqual(pushed);
  expect(estimate.state).toBe('done');
  expect(estimate.result!.storedBytes).toBeLessThan(pushed.result!.storedBytes);
  // Without config.json, which the first run has by now.
  const same = (await harness.push(other, 0, modelOf(tinyWeights(0)))).result!;
  expect([estimate.result!.config, estimate.result!.measured]).toEqual([same.config, same.measured]);
  expect(estimate.result!.rawBytes).toBe(pushed.result!.rawBytes);
});

test('an earlier checkpoint, whose upload is gone, is refused with what to do', async () => {
  const run = await harness.newRun({ search: residual });
  const first = await harness.push(run, 0, uploadAt(0));
  await harness.push(run, 1, uploadAt(1));
  await expect(ask(run, first, 0.2)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/not kept any more.*latest/) as string,
  });
});

test('a checkpoint whose config was given, or that nothing measured, is refused', async () => {
  const given = await harness.newRun({ search: { ...tinySearch, fixedConfig: sixteenBins } });
  await expect(ask(given, await harness.push(given, 0, uploadAt(0)), 0.2)).rejects.toMatchObject({
    message: expect.stringContaining('given') as string,
  });
});

test('one that waits is cancelled at once, and another may be asked for', async () => {
  const run = await harness.newRun({ search: residual });
  const pushed = await harness.push(run, 0, uploadAt(0));
  await expect(cancelEstimate(harness.catalog, pushed)).rejects.toMatchObject({ code: 'not-found' });
  await ask(run, pushed, 0.2);
  expect(await cancelEstimate(harness.catalog, pushed)).toMatchObject({ state: 'cancelled' });
  expect(await ask(run, pushed, 0.1)).toMatchObject({ state: 'queued' });
  await cancelEstimate(harness.catalog, pushed);
});
