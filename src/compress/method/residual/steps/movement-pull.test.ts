import { expect, test } from 'vitest';
import { gptqPullMax } from '../../../../native/core.ts';
import { movedDeadZone, movementPull } from './movement-pull.ts';

/** By how many steps the dead zone of a weight with a typical movement shrinks. */
const typical = (moved: number): number => moved * movementPull(moved, movedDeadZone);

test('a typical movement takes a third to a half of the widening off, the more the larger it is', () => {
  const widened = (movedDeadZone - 128) / 256;
  const moves = [0.0001, 0.003, 0.01, 0.03, 0.06, 0.3, 5];
  const found = moves.map((moved) => typical(moved) / widened);
  expect(found).toEqual([...found].sort((a, b) => a - b));
  for (const share of found) expect(share).toBeGreaterThan(0.3);
  for (const share of found) expect(share).toBeLessThan(0.56);
  expect(typical(0.03) / widened).toBeCloseTo(0.5);
});

test('nothing pulls where nothing moved, and never more than the core takes', () => {
  for (const moved of [0, Number.NaN, Number.POSITIVE_INFINITY]) expect(movementPull(moved, movedDeadZone)).toBe(0);
  expect(movementPull(Number.MIN_VALUE, movedDeadZone)).toBe(gptqPullMax);
});

test('rounding to the nearest step is not pulled, and half the widening half as much', () => {
  expect(movementPull(0.03, 128)).toBe(0);
  expect(movementPull(0.03, 153.5)).toBeCloseTo(movementPull(0.03, movedDeadZone) / 2);
});
