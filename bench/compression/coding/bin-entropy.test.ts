import { expect, test } from 'vitest';
import { boundBits } from './bin-entropy.ts';

test('a worked example: two kinds of bins without history take one bit each, none where the history decides', () => {
  expect(boundBits([{ current: [0, 0, 1, 1] }])).toBe(4);
  expect(boundBits([{ current: [0, 0, 1, 1], previous: [0, 0, 0, 0] }])).toBe(4);
  expect(boundBits([{ current: [0, 0, 1, 1], previous: [5, 5, 6, 6] }])).toBe(0);
  expect(boundBits([{ current: [0, 1, 0, 1], previous: [5, 5, 6, 6], beforePrevious: [1, -2, 1, -2] }])).toBe(0);
});

test('tensors have statistics of their own', () => {
  expect(boundBits([{ current: [0, 0] }, { current: [1, 1] }])).toBe(0);
});
