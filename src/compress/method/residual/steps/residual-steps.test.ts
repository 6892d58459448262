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
 * Octaves between the steps of a matrix and of one whose gradients are 16 times as large, and the mean of both in
 * deviations.
 */
function planned(lastScale: number | undefined, slopes: readonly number[] = [1, 16]) {
  const [records] = planSteps(files, moments(slopes), undefined, lastScale)!;
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
  ])(
    'go with the gradients to the power of $power where the last common step was $lastScale',
    ({ lastScale, power }) => {
      expect(planned(lastScale).apart).toBeCloseTo(4 * power, 1);
    },
  );

  test('are one deviation on average, whatever the power', () => {
    for (const lastScale of [undefined, 40, 0, -100]) expect(planned(lastScale).mean).toBeCloseTo(0, 1);
  });

  test('are the same where there are no gradients', () => {
    expect(planned(0, [0, 0]).apart).toBe(0);
    expect(planned(0, [0, 3]).apart).toBe(0);
  });
});
