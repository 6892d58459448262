import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import type { FinalQuality } from '../checkpoint/quality/final-quality.ts';
import {
  modelOf,
  openCompressHarness,
  sixteenBins,
  tinySearch,
  type CompressHarness,
} from './harness/compress-harness.test-support.ts';
import { tinyWeights } from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness({ allowDoubted: true });
});
afterAll(() => harness.close());

const path = 'model.safetensors';
const uploadAt = (step: number) => modelOf(tinyWeights(step));

/** Pushes a step that is said to be the last while it waits. */
async function pushLast(run: Run, step: number, final: FinalQuality): Promise<Checkpoint> {
  const { id } = await harness.queue(run, step, uploadAt(step));
  await harness.catalog.checkpoints.setFinal(id, final);
  await harness.catalog.runs.setClosed(run.id, true);
  await harness.work();
  return harness.checkpoint(id);
}

test.each<[string, Partial<Run>]>([
  ['a searched run', { search: { ...tinySearch, method: 'residual' } }],
  ['a run with a given config', { search: { ...tinySearch, fixedConfig: sixteenBins } }],
])(
  'the last checkpoint of %s that is to be exact comes back byte for byte, measured, without a warning',
  async (_, changes) => {
    const run = await harness.newRun(changes);
    await harness.push(run, 0, uploadAt(0));
    const last = await pushLast(run, 1, { exact: true });
    expect(last.result).toMatchObject({
      fidelity: 'exact',
      trialCount: 0,
      degradation: { loss: 0 },
      asGoodAs: { step: 1 },
    });
    expect(last.result!.warnings.filter((sentence) => sentence.includes('exact'))).toEqual([]);
    expect(await harness.download(last, path)).toEqual(Buffer.from(uploadAt(1)[path]!.bytes));
  },
);

test('the last checkpoint of a closed run releases its upload, and so does the one before', async () => {
  const run = await harness.newRun({ search: { ...tinySearch, method: 'residual' } });
  const first = await harness.push(run, 0, uploadAt(0));
  expect(await harness.rawPaths(first)).toEqual([path]);
  const last = await pushLast(run, 1, {});
  expect(last.result!.fidelity).toBe('lossy');
  expect([await harness.rawPaths(first), await harness.rawPaths(last)]).toEqual([[], []]);
  // Opened again, the run keeps the upload of its newest checkpoint as before.
  await harness.catalog.runs.setClosed(run.id, false);
  expect(await harness.rawPaths(await harness.push(run, 2, uploadAt(2)))).toEqual([path]);
});
