import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

test.each([
  ['FIRN_PROT', 'FIRN_PORT'],
  ['FIRN_PORTS', 'FIRN_PORT'],
  ['FIRN_HOTS', 'FIRN_HOST'],
  ['FIRN_PORT', 'FIRN_PORT'],
  ['FIRN_ELSE', undefined],
  ['', undefined],
])('the name nearest to %j is %j: two letters off at most', (typed, nearest) => {
  expect(nearestName(typed, ['FIRN_PORT', 'FIRN_HOST'])).toBe(nearest);
});
