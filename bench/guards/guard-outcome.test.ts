import { expect, test } from 'vitest';
import type { CheckpointResult } from '../../src/catalog/contract/checkpoint-records.ts';
import type { EvalSetSpec } from '../../src/checkpoint/quality/eval-set-spec.ts';
import type { CheckpointWeights, WeightTensor } from '../compression/series/checkpoint-weights.ts';
import type { StoredCheckpoint } from '../compression/series/stored-series.ts';
import { guardOutcome } from './guard-outcome.ts';

const spec: EvalSetSpec = {
  inputs: { x: 'inputs' },
  metrics: [
    { name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'labels' },
    { name: 'accuracy', kind: 'accuracy', output: 'logits', labels: 'labels' },
  ],
};
const result: CheckpointResult = {
  fidelity: 'lossy',
  warnings: ['"accuracy" is not bounded and fell by 8 %, from 0.5 to 0.46; the largest threshold is 1 %.'],
  baseline: { loss: 2, accuracy: 0.5 },
  measured: { loss: 2.01, accuracy: 0.46 },
  degradation: { loss: 0.005, accuracy: 0.08 },
  limits: { loss: { degradationMax: 0.01, boundBy: 'relative' } },
  observed: {
    'kl-divergence': { kind: 'kl-divergence', baseline: 0, measured: 0.015, degradation: 0.015 },
    agreement: { kind: 'agreement', baseline: 1, measured: 0.7, degradation: 0.3 },
  },
  kind: 'delta',
  chainLength: 2,
  rawBytes: 4000,
  storedBytes: 100,
  trialCount: 2,
  seconds: {},
};
const tensor = (name: string, values: readonly number[]): WeightTensor => ({
  name,
  dtype: 'F32',
  shape: [values.length],
  bytes: new Uint8Array(),
  values: Float32Array.from(values),
  layerType: 'linear',
});
const tensors = [tensor('a', [3, 4]), tensor('b', [1, -1]), tensor('untouched', [1, 2])];
const checkpoint: CheckpointWeights = { step: 10, rawBytes: 4000, files: [], tensors, gradients: new Map() };
const stored: StoredCheckpoint = {
  ancestor: undefined,
  binBytes: 10,
  tensors: Object.entries({ a: [3, 3], b: [0, 0] }).map(([name, values]) => ({
    name,
    bins: new Int32Array(2),
    codebook: 0,
    levelCount: Infinity,
    values: Float32Array.from(values),
  })),
};

test('an outcome has the worst tensor, those of one value, and how far the outputs are', () => {
  expect(guardOutcome(stored, checkpoint, { result, spec })).toEqual({
    worstTensor: { name: 'b', relativeError: 1 },
    // Of "a" both values are equal, too.
    constantTensors: 2,
    // 1 % of a loss of 2 nats.
    divergence: expect.closeTo(0.015 / 0.02, 12) as number,
    otherMetric: { name: 'accuracy', degradation: 0.08 },
    warned: true,
  });
});

test('an exact checkpoint has no worst tensor', () => {
  const { warnings: _none, ...rest } = result;
  const exact = { ...rest, fidelity: 'exact', warnings: ['The sentence of an exact checkpoint.'] } as const;
  expect(guardOutcome({ ...stored, tensors: [] }, checkpoint, { result: exact, spec })).toMatchObject({
    constantTensors: 0,
    warned: false,
  });
});

test('without limits nothing bounds a divergence', () => {
  const { limits: _none, ...bare } = result;
  expect(guardOutcome(stored, checkpoint, { result: bare, spec })).not.toHaveProperty('divergence');
});
