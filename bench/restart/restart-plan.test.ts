import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planRestarts } from './restart-plan.ts';

test('of twenty even checkpoints every second restarts, the last in the final tenth', () => {
  const steps = Array.from({ length: 20 }, (_, i) => 24 * (i + 1));
  expect(planRestarts(steps, 10)).toEqual([
    { name: '1, half-way', checkpoints: [9] },
    { name: '1, near the end', checkpoints: [18] },
    { name: '10', checkpoints: [0, 2, 4, 6, 8, 10, 12, 14, 16, 18] },
  ]);
});

test('where checkpoints lie closer at the end, restarts are still spread over steps', () => {
  const steps = [
    ...Array.from({ length: 12 }, (_, i) => 90 * (i + 1)),
    ...Array.from({ length: 6 }, (_, i) => 1080 + 30 * (i + 1)),
  ];
  const spread = planRestarts(steps, 10)[2]!.checkpoints.map((checkpoint) => steps[checkpoint]!);
  expect(spread).toEqual([90, 180, 270, 450, 540, 720, 810, 900, 1080, 1200]);
  expect(spread.at(-1)!).toBeGreaterThan(0.9 * 1260);
});

test('restarts are distinct, rising, and never at the last checkpoint, as long as there are enough', () => {
  const series = fc
    .uniqueArray(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 30 })
    .map((steps) => steps.sort((a, b) => a - b));
  fc.assert(
    fc.property(series, fc.integer({ min: 1, max: 12 }), (steps, count) => {
      if (count >= steps.length) {
        expect(() => planRestarts(steps, count)).toThrow('restarts need');
        return;
      }
      const { checkpoints } = planRestarts(steps, count)[2]!;
      expect(checkpoints).toHaveLength(count);
      expect(
        checkpoints.every((checkpoint, i) => checkpoint > (checkpoints[i - 1] ?? -1) && checkpoint < steps.length - 1),
      ).toBe(true);
    }),
  );
});
