import { expect, test } from 'vitest';
import { gptqPullMax } from '../../../../native/core.ts';
import { movedDeadZone, movementPull } from './movement-pull.ts';

/** By how many steps the dead zone of a weight with a typical movement shrinks. */
const typical = (moved: number): number => moved * movementPull(moved);

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
  expect(movementPull(0)).toBe(0);
  expect(movementPull(Number.NaN)).toBe(0);
  expect(movementPull(Number.POSITIVE_INFINITY)).toBe(0);
  expect(movementPull(Number.MIN_VALUE)).toBe(gptqPullMax);
});
