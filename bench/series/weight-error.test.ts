import { expect, test } from 'vitest';
import { totalMovementLost, weightError } from './weight-error.ts';

const f = (...values: number[]): Float32Array => Float32Array.from(values);

test('errors are in parts of the weights, and of what they moved', () => {
  expect(weightError({ name: 'w', weights: f(4, 3), rebuilt: f(4, 2), before: f(4, 1) })).toEqual({
    name: 'w',
    elementCount: 2,
    relativeError: 0.2,
    collapsed: false,
    errorToMovement: 0.5,
    movementLost: 0.5,
  });
});

test('an error across the movement loses none of it', () => {
  expect(weightError({ name: 'w', weights: f(3, 4), rebuilt: f(2, 4), before: f(3, 2) })).toMatchObject({
    movementLost: 0,
    errorToMovement: 0.5,
  });
});

test.each([
  ['without a checkpoint before', undefined],
  ['without movement', f(3, 4)],
])('%s there is none to lose', (_, before) => {
  expect(weightError({ name: 'w', weights: f(3, 4), rebuilt: f(3, 3), before })).toMatchObject({
    movementLost: undefined,
    errorToMovement: undefined,
  });
});

test('a tensor that became one value is collapsed, one that was uploaded so is not', () => {
  expect(weightError({ name: 'w', weights: f(3, 4), rebuilt: f(3, 3) }).collapsed).toBe(true);
  expect(weightError({ name: 'w', weights: f(4, 4), rebuilt: f(3, 3) }).collapsed).toBe(false);
});

test('zeros that come back have no error, others an infinite one', () => {
  expect(weightError({ name: 'w', weights: f(0, 0), rebuilt: f(0, 0) }).relativeError).toBe(0);
  expect(weightError({ name: 'w', weights: f(0, 0), rebuilt: f(0, 1) }).relativeError).toBe(Infinity);
});

test('tensors of different sizes are refused by name', () => {
  expect(() => weightError({ name: 'w', weights: f(1), rebuilt: f(1, 2) })).toThrow('w has 1 elements');
  expect(() => weightError({ name: 'w', weights: f(1), rebuilt: f(1), before: f() })).toThrow(RangeError);
});

test('over all tensors movement is weighed by its square', () => {
  const still = { name: 'a', weights: f(3), rebuilt: f(1), before: f(1) };
  const whole = { name: 'b', weights: f(2), rebuilt: f(2), before: f(1) };
  expect(totalMovementLost([still, whole])).toBeCloseTo(4 / 5);
});
