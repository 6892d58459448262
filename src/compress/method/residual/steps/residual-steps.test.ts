import { describe, expect, test } from 'vitest';
import { stepsPerOctave } from '../../../../package/residual-tensor.ts';
import type { SourceFile } from '../../../upload/model-source.ts';
import { planSteps } from './residual-steps.ts';
import type { TensorMoments } from '../tensor-moments.ts';

const elementCount = 4096;
const names = ['calm', 'steep'];
/** Two matrices of deviation 1. */
const files = [
  { layout: { tensors: names.map((name) => ({ name, shape: [64, 64] })) } },
] as unknown as readonly SourceFile[];
const moments = (slopes: readonly number[]) => [
  new Map(
    slopes.map((slope, tensor): [number, TensorMoments] => [
      tensor,
      {
        elementCount,
        sum: 0,
        sumOfSquares: elementCount,
        magnitudeMax: 4,
        gradientSumOfSquares: elementCount * slope ** 2,
      },
    ]),
  ),
];

/**
 * Octaves between the steps of a matrix and of one with gradients 16 times as large, and the mean of both in
 * deviations.
 */
function planned(
  lastScale: number | undefined,
  slopes: readonly number[] = [1, 16],
  weightErrorMax: number | undefined = undefined,
) {
  const [records] = planSteps(files, moments(slopes), { lastScale, weightErrorMax })!;
  const log2 = [0, 1].map((tensor) => records!.get(tensor)!.exponent + records!.get(tensor)!.stepCode / stepsPerOctave);
  return { apart: log2[0]! - log2[1]!, mean: (log2[0]! + log2[1]!) / 2 };
}

describe('the steps of matrices', () => {
  test.each([
    { lastScale: undefined, power: 0.25 },
    { lastScale: 96, power: 0.25 },
    { lastScale: 32, power: 0.4 },
    { lastScale: 0, power: 0.7 },
    { lastScale: -64, power: 0.85 },
  ])('follow the gradients to the power of $power if the last common step was $lastScale', ({ lastScale, power }) => {
    expect(planned(lastScale).apart).toBeCloseTo(4 * power, 1);
  });

  test('follow the gradients themselves under a bound on the error of weights', () => {
    for (const lastScale of [undefined, 96, -64]) expect(planned(lastScale, [1, 16], 0.5).apart).toBeCloseTo(4, 1);
  });

  test('are one deviation on average, whatever the power', () => {
    for (const lastScale of [undefined, 40, 0, -100]) expect(planned(lastScale).mean).toBeCloseTo(0, 1);
  });

  test('are the same without gradients', () => {
    expect(planned(0, [0, 0]).apart).toBe(0);
    expect(planned(0, [0, 3]).apart).toBe(0);
  });
});

describe('the step of an almost constant vector', () => {
  const vectorFiles = [{ layout: { tensors: [{ name: 'scale', shape: [64] }] } }] as unknown as readonly SourceFile[];
  /** log2 of its step in standard deviations, around a mean of 1. */
  function stepOf(deviation: number, weightErrorMax: number | undefined): number {
    const sums: TensorMoments = {
      elementCount: 64,
      sum: 64,
      sumOfSquares: 64 * (1 + deviation ** 2),
      magnitudeMax: 1,
      gradientSumOfSquares: 0,
    };
    const [records] = planSteps(vectorFiles, [new Map([[0, sums]])], { weightErrorMax })!;
    const { exponent, stepCode } = records!.get(0)!;
    return exponent + stepCode / stepsPerOctave - Math.log2(deviation);
  }

  test('is a quarter of its deviation if the error of weights is bounded, however small that is', () => {
    for (const deviation of [0.1, 1e-3, 1e-5]) expect(stepOf(deviation, 0.5)).toBeCloseTo(-2, 1);
    expect(stepOf(1e-7, 0.5)).toBeCloseTo(-20 - Math.log2(1e-7), 1);
  });

  test('is a part of its mean otherwise', () => {
    expect(stepOf(0.1, undefined)).toBeCloseTo(-2, 1);
    expect(stepOf(1e-5, undefined)).toBeCloseTo(-8 - Math.log2(1e-5), 1);
  });
});

test('a tensor that starts from exact weights has the most units that a step can have', () => {
  const planning = { lastScale: undefined };
  const [alone] = planSteps(files, moments([1, 1]), planning)!;
  const [started] = planSteps(files, moments([1, 1]), { ...planning, started: [new Set([1])] })!;
  expect(started!.get(0)).toEqual(alone!.get(0));
  const [before, finer] = [alone!.get(1)!, started!.get(1)!];
  expect(before.exponent - finer.exponent).toBe(6);
  expect(finer.stepCode - before.stepCode).toBe(6 * stepsPerOctave);
});
