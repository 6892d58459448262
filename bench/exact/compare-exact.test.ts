import { expect, test } from 'vitest';
import { loadCore } from '../../src/native/load-core.ts';
import { uniformNoise } from '../compression/noise.test-support.ts';
import { compareChanged, compareSeries, type CompareTools } from './compare-exact.ts';
import { weightFile } from './weight-file.ts';
import type { WeightSeries } from './weight-series.ts';

const weightCount = 5000;
const tools: CompareTools = {
  core: loadCore({ threads: 1 }),
  seconds: 0.001,
  wanted: (name) => name === 'Firn' || name.startsWith('bitmask'),
  onProgress: () => {},
};

/**
 * Weights of one exponent with random mantissas. From each checkpoint to the next, every twentieth weight increases by
 * one word.
 */
const series: WeightSeries = {
  title: 'bf16',
  dtype: 'BF16',
  checkpoints: [0, 1, 2].map((step) => {
    const words = Uint16Array.from(
      uniformNoise(weightCount, 1),
      (value, i) => 0x3f80 + Math.floor(100 * value) + (i % 20 === 0 ? step : 0),
    );
    return {
      step,
      files: [
        weightFile('model.safetensors', 'BF16', [
          { name: 'w', shape: [weightCount], bytes: new Uint8Array(words.buffer) },
        ]),
      ],
    };
  }),
};

test('every checkpoint is coded alone, every one after the first against the one before', async () => {
  const { codings, ...rest } = await compareSeries(series, tools);
  expect(rest).toEqual({ title: 'bf16', checkpointCount: 3, weightCount });
  const [alone, delta] = codings;
  expect(alone!.steps).toEqual([0, 1, 2]);
  expect(delta!.steps).toEqual([1, 2]);
  expect(delta!.rawBytes).toEqual([2 * weightCount, 2 * weightCount]);
  expect(alone!.methods.map(({ name }) => name)).toEqual(['Firn']);
  expect(delta!.methods.map(({ name }) => name)).toEqual(['Firn', 'bitmask (BitSnap)']);
  expect(delta!.methods[1]!.bytes).toEqual([1, 2].map(() => 1 + weightCount / 8 + (2 * weightCount) / 20));
  // The entropy of a change in one word of twenty.
  const ideal = delta!.prototype.find(({ name }) => name === 'difference given exponent')!.bytes;
  expect(ideal[0]).toBeCloseTo((weightCount * 0.2864) / 8, 0);
  expect(delta!.methods[0]!.bytes[0]).toBeLessThan(1.1 * ideal[0]! + 16);
  expect(alone!.methods[0]!.bytes[0]).toBeGreaterThan(3 * delta!.methods[0]!.bytes[0]!);
});

test('changed words are coded against the words before', async () => {
  const changed = await compareChanged(series.checkpoints[2]!, 'BF16', tools);
  expect(changed.map(({ share }) => share)).toEqual([0.01, 0.05, 0.15, 0.5]);
  expect(changed[0]!.methods[1]).toEqual({ name: 'bitmask (BitSnap)', bytes: 1 + weightCount / 8 + 2 * 50 });
  expect(changed[0]!.weightCount).toBe(weightCount);
});
