import { expect, test } from 'vitest';
import { errorRatio, roundAfresh, weightedError } from './weighted-error.ts';

test('errors count by the square of their gradients; without usable ones all alike', () => {
  const [weights, rebuilt] = [Float32Array.of(1, 2), [1.5, 1]];
  expect(weightedError(weights, rebuilt, Float32Array.of(2, 1))).toBe(2);
  expect(weightedError(weights, rebuilt, Float32Array.of(0, 0))).toBe(1.25);
  expect(weightedError(weights, rebuilt, undefined)).toBe(1.25);
});

test('the worst tensor is named, and one without an error of its own is not it', () => {
  const ratio = errorRatio([
    { name: 'a', error: 3, fresh: 2 },
    { name: 'b', error: 1, fresh: 4 },
    { name: 'c', error: 0, fresh: 0 },
  ]);
  expect(ratio).toEqual({ pooled: 4 / 6, worst: 1.5, worstTensor: 'a' });
  expect([...roundAfresh(Float32Array.of(0.3, -0.8), 0.5)]).toEqual([0.5, -1]);
});
