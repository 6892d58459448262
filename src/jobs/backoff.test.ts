import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs, defaultBackoff, type BackoffPolicy } from './backoff.ts';

const policy: BackoffPolicy = { firstMs: 100, factor: 3, maxMs: 1000, jitter: 0.5 };

test.each([
  [1, 100],
  [2, 300],
  [3, 900],
  [4, 1000],
  [5, 1000],
  [5000, 1000],
])('after failure %i the whole delay is %i ms', (failures, delayMs) => {
  expect(backoffMs(policy, failures, 0)).toBe(delayMs);
});

test('jitter takes off at most its share, and delays stay whole, positive and bounded', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (failures, random) => {
        const delayMs = backoffMs(defaultBackoff, failures, random);
        expect(Number.isInteger(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(defaultBackoff.firstMs * (1 - defaultBackoff.jitter));
        expect(delayMs).toBeLessThanOrEqual(defaultBackoff.maxMs);
        expect(delayMs).toBeGreaterThanOrEqual(
          Math.floor(backoffMs(defaultBackoff, failures, 0) * (1 - defaultBackoff.jitter)),
        );
      },
    ),
  );
});
