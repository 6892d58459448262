import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import { withinThreshold } from '../../../checkpoint/quality/quality.ts';
import {
  modelOf,
  openCompressHarness,
  sha256,
  tinySearch,
  type CompressHarness,
} from '../../harness/compress-harness.test-support.ts';
import { safetensors, tinyWeights } from '../../harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

const steps = [0, 1, 2, 3];

describe('a searched run of LC-Checkpoint', () => {
  const pushed: Checkpoint[] = [];
  beforeAll(async () => {
    const run = await harness.newRun({ search: { ...tinySearch, method: 'lc-checkpoint' } });
    for (const step of steps) pushed.push(await harness.push(run, step, modelOf(tinyWeights(step))));
  });

  test('begins with the whole checkpoint and goes on with deltas in buckets', async () => {
    expect(pushed.map(({ state, result }) => [state, result?.kind])).toEqual(
      steps.map((step) => ['ready', step === 0 ? 'base' : 'delta']),
    );
    expect(await harness.download(pushed[0]!, 'model.safetensors')).toEqual(Buffer.from(safetensors(tinyWeights(0))));
    for (const { result } of pushed)
      expect(result).toMatchObject({ fidelity: 'lossy', config: { method: 'lc-checkpoint' } });
    expect(pushed[1]!.result!.storedBytes).toBeLessThan(pushed[0]!.result!.storedBytes / 2);
  });

  test('comes back with the recorded digest and inside the threshold when measured again', async () => {
    for (const checkpoint of pushed) {
      const file = await harness.download(checkpoint, 'model.safetensors');
      expect(sha256(file)).toBe((await harness.catalog.files.find(checkpoint.id, 'model.safetensors'))!.resultSha256);
      expect(await harness.measure(file)).toEqual(checkpoint.result!.measured);
      expect(withinThreshold(checkpoint.result!.degradation!['loss']!, 0.05)).toBe(true);
    }
  });
});

describe('given bits', () => {
  test('keep more of what changed, and take more bytes, the more they are', async () => {
    const sizes: number[] = [];
    for (const bits of [1, 3, 8]) {
      const run = await harness.newFixedRun({ method: 'lc-checkpoint', bits });
      await harness.push(run, 0, modelOf(tinyWeights(0)));
      sizes.push((await harness.push(run, 1, modelOf(tinyWeights(1)))).result!.storedBytes);
    }
    expect(sizes[0]).toBeLessThan(sizes[1]!);
    expect(sizes[1]).toBeLessThan(sizes[2]!);
  });
});
