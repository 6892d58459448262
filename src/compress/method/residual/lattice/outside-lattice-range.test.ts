import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  floatsOf,
  openCompressHarness,
  tinySearch,
  withGradients,
  type CompressHarness,
} from '../../../harness/compress-harness.test-support.ts';
import { f32, noise, tinyGradients, tinyWeights, type TestTensors } from '../../../harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

/** The tiny model with a bias of this magnitude. */
function withBias(step: number, magnitude: number): TestTensors {
  const signs = noise(32, 9);
  return {
    ...tinyWeights(step),
    'fc.bias': f32(
      [32],
      signs.map((x) => Math.sign(x) * magnitude),
    ),
  };
}

describe('a run of which a vector outgrows the units it is stored in', () => {
  test.each([
    ['from 1e-6 to 3e-3', [1e-6, 3e-3, 3e-3, 4e-3]],
    ['a hundred thousand times', [1e-6, 0.1, 0.1, 0.12]],
    ['a hundred thousand times from a checkpoint to the next but one', [1e-7, 1e-6, 1e-2, 1e-2]],
  ])('goes on: %s', async (_, magnitudes) => {
    const run = await harness.newRun({ search: { ...tinySearch, method: 'residual' } });
    for (const [step, magnitude] of magnitudes.entries()) {
      const weights = withBias(step, magnitude);
      const checkpoint = await harness.push(run, step, withGradients(weights, tinyGradients(step)));
      expect([checkpoint.state, checkpoint.result?.fidelity, checkpoint.result?.resumed]).toEqual([
        'ready',
        'lossy',
        undefined,
      ]);
      const stored = floatsOf(await harness.download(checkpoint, 'model.safetensors'), 'fc.bias');
      stored.forEach((x, i) =>
        expect(Math.abs(x - (weights['fc.bias']!.data as Float32Array)[i]!)).toBeLessThan(0.3 * magnitude),
      );
    }
  });
});
