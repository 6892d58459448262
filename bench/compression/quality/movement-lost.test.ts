import { expect, test } from 'vitest';
import { movementLost } from './movement-lost.ts';

const [weights, before] = [Float32Array.of(3, 1), Float32Array.of(1, 1)];

test.each([
  ['weights that stand still lack all', [1, 1], 1],
  ['exact ones nothing', [3, 1], 0],
  ['ones half-way a half, whatever lies across', [2, 7], 0.5],
  ['ones that run ahead less than nothing', [4, 1], -0.5],
])('%s', (_, rebuilt, expected) => {
  expect(movementLost([{ weights, before, rebuilt: Float32Array.from(rebuilt) }])).toBe(expected);
});

test('what does not move has nothing to lose', () => {
  expect(movementLost([{ weights, before: weights, rebuilt: before }])).toBe(0);
});
