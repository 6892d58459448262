import { expect, test } from 'vitest';
import { stepsPerOctave, unitGain, type ResidualTensor } from '../../../../package/residual-tensor.ts';
import type { TensorMoments } from '../tensor-moments.ts';
import { boundedStepLog2, commonStepLimit, stepCodeLimit, type TensorLimits } from './tensor-limits.ts';

/** Moments of weights around 0 with this deviation. */
const weights = (deviation: number): TensorMoments => ({
  elementCount: 100,
  sum: 0,
  sumOfSquares: 100 * deviation ** 2,
  magnitudeMax: 4 * deviation,
  gradientSumOfSquares: 0,
});
const record = (stepLog2: number): ResidualTensor => ({
  exponent: -20,
  origin: 0,
  shift: 0,
  stepCode: Math.round((stepLog2 + 20) * stepsPerOctave),
  offsets: [0, 0],
  gain: unitGain,
});
/** Two matrices and a vector, of deviations 1, 1/8 and 1. */
const files = [
  { layout: { tensors: [[8, 8], [8, 8], [64]].map((shape, i) => ({ name: String(i), shape })) } },
] as unknown as TensorLimits['source']['files'];
const moments = [new Map([1, 1 / 8, 1].map((deviation, tensor) => [tensor, weights(deviation)]))];
const limits: TensorLimits = {
  source: { files },
  moments,
  ancestor: undefined,
  toNearest: true,
  weightErrorMax: 0.5,
};
const records = [new Map([0, 0, -2].map((stepLog2, tensor) => [tensor, record(stepLog2)]))];
/** log2 of the largest step of a tensor at a common step, in 1/32 octaves. */
const limitLog2 = (of: TensorLimits, tensor: number, scale: number): number =>
  (stepCodeLimit(of, 0, tensor, records[0]!.get(tensor)!, { matrices: scale, vectors: 0 }) + (tensor < 2 ? scale : 0)) /
    stepsPerOctave -
  20;

test('the largest step has just less rounding error than the bound', () => {
  for (const [deviation, bound] of [
    [1, 0.5],
    [0.01, 0.5],
    [1, 0.1],
  ] as const) {
    const error = 2 ** boundedStepLog2(weights(deviation), bound) / Math.sqrt(12);
    expect(error / (deviation * bound)).toBeGreaterThan(0.94);
    expect(error / (deviation * bound)).toBeLessThan(1);
  }
  expect(boundedStepLog2(weights(1), undefined)).toBe(Infinity);
  expect(boundedStepLog2(weights(0), 0.5)).toBe(Infinity);
});

test('the limit of a tensor is the same at every common step, and follows its own deviation', () => {
  for (const scale of [-64, 0, 100]) {
    expect(limitLog2(limits, 0, scale)).toBeCloseTo(boundedStepLog2(weights(1), 0.5), 1);
    expect(limitLog2(limits, 1, scale)).toBeCloseTo(boundedStepLog2(weights(1 / 8), 0.5), 1);
  }
  expect(stepCodeLimit({ ...limits, weightErrorMax: undefined }, 0, 0, record(0), { matrices: 0, vectors: 0 })).toBe(
    Infinity,
  );
});

test('where weights are rounded to the nearest step, it is at most the step of the ancestor', () => {
  const ancestor = {
    index: { residual: { scales: { matrices: 16, vectors: 0 } } },
    residualTensor: () => record(-2),
  } as unknown as TensorLimits['ancestor'];
  expect(limitLog2({ ...limits, ancestor }, 0, 5)).toBeCloseTo(-1.5, 6);
  expect(limitLog2({ ...limits, ancestor, toNearest: false }, 0, 5)).toBeCloseTo(boundedStepLog2(weights(1), 0.5), 1);
  // The bound is tighter than the ancestor's step.
  expect(limitLog2({ ...limits, ancestor }, 1, 5)).toBeCloseTo(boundedStepLog2(weights(1 / 8), 0.5), 1);
});

test('where it is known how weights moved, it grows to four times that, and not beyond the bound', () => {
  const ancestor = {
    index: { residual: { scales: { matrices: 0, vectors: 0 } } },
    residualTensor: () => record(-3),
  } as unknown as TensorLimits['ancestor'];
  const moved = (distance: number): TensorLimits => ({
    ...limits,
    ancestor,
    moves: [new Map([0, 1, 2].map((tensor) => [tensor, distance]))],
  });
  expect(limitLog2(moved(1 / 32), 0, 5)).toBeCloseTo(Math.log2(4 / 32), 1);
  expect(limitLog2(moved(1), 0, 5)).toBeCloseTo(boundedStepLog2(weights(1), 0.5), 1);
  // It does not shrink where little moved, or nothing.
  for (const distance of [1 / 1024, 0]) expect(limitLog2(moved(distance), 0, 5)).toBeCloseTo(-3, 6);
  // Matrices whose movement is not known keep the ancestor's.
  expect(limitLog2({ ...moved(1), moves: [new Map()] }, 0, 5)).toBeCloseTo(-3, 6);
});

test('the common step ends where the last matrix reaches its limit', () => {
  const limit = commonStepLimit(limits, records)!;
  expect(limit / stepsPerOctave).toBeCloseTo(boundedStepLog2(weights(1), 0.5), 1);
  expect(commonStepLimit({ ...limits, weightErrorMax: undefined }, records)).toBeUndefined();
});
