import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { QuantizationConfig } from '../../../../checkpoint/options/quantization-config.ts';
import { searchStep } from './search-step.ts';
import { TrialRunner } from '../../../../search/trial-runner.ts';

function stepOf(config: QuantizationConfig): number {
  if (config.method !== 'residual') throw new Error('not a step');
  return config.step;
}

/** Bytes fall as the step grows. */
function runnerOn(
  worst: (step: number) => number,
  {
    trialsMax = 64,
    parallel = 1,
    uncertain,
  }: { trialsMax?: number; parallel?: number; uncertain?: (step: number) => number } = {},
) {
  const asked: number[] = [];
  const runner = new TrialRunner(
    {
      estimateBytes: async (config) => 1000 - stepOf(config),
      evaluate: async (config) => {
        asked.push(stepOf(config));
        const found = worst(stepOf(config));
        return {
          metrics: {},
          degradation: {},
          passed: found <= 1,
          worst: found,
          ...(uncertain && { uncertain: uncertain(stepOf(config)) }),
        };
      },
      onTrial: async () => undefined,
    },
    { parallel, trialsMax },
  );
  return { runner, asked };
}

/** Degradation grows with the square of the step; 1 at `limit`. */
const quadratic = (limit: number) => (step: number) => 2 ** ((step - limit) / 16);

describe('searchStep', () => {
  test.each([-200, -40, 0, 30, 51, 90, 200])('comes close under a limit of %i from anywhere', async (limit) => {
    const { runner, asked } = runnerOn(quadratic(limit));
    const found = await searchStep({ last: undefined, isBase: true }, runner);
    expect(stepOf(found!.config)).toBeLessThanOrEqual(limit);
    expect(stepOf(found!.config)).toBeGreaterThan(Math.min(limit - 4, 51 + 24 * 7 - 1));
    expect(asked.length).toBeLessThanOrEqual(12);
  });

  test('a delta whose step passes late, and is far finer than it has to be, has one trial more', async () => {
    // Finer steps hardly help until one is fine enough for most weights to move.
    const cliff = (step: number): number => (step > -25 ? 1.2 : 2 ** ((step - 16) / 16));
    const { runner, asked } = runnerOn(cliff);
    const found = await searchStep({ last: 0, isBase: false }, runner);
    const [coarser, last] = asked.slice(-2) as [number, number];
    expect(asked.slice(0, -2).every((step) => cliff(step) > 1)).toBe(true);
    expect(asked.length).toBeGreaterThan(4);
    expect(cliff(coarser)).toBeLessThan(0.6);
    expect(last).toBeGreaterThan(coarser);
    expect(stepOf(found!.config)).toBe(cliff(last) <= 1 ? last : coarser);
  });

  test('a degradation with its standard error takes two trials where the square law misses', async () => {
    // Two thirds of the degradation at step 0 grow with the step, the rest with its square.
    const uncertain = (step: number) => 2 ** (step / 32);
    const both = (step: number) => uncertain(step) + 2 ** (step / 16) / 2;
    const knowing = runnerOn(both, { uncertain });
    const square = runnerOn(both);
    for (const { runner } of [knowing, square]) await searchStep({ last: 8, isBase: false }, runner);
    expect(knowing.asked).toHaveLength(2);
    expect(both(knowing.asked[1]!)).toBeGreaterThan(0.95);
    expect(both(knowing.asked[1]!)).toBeLessThanOrEqual(1);
    expect(square.asked.length).toBeGreaterThan(2);
  });

  test("stays at the last checkpoint's step, in one trial, if that is close", async () => {
    const { runner, asked } = runnerOn(quadratic(11));
    expect((await searchStep({ last: 10, isBase: false }, runner))?.config).toEqual({ method: 'residual', step: 10 });
    expect(asked).toEqual([10]);
  });

  test('a later checkpoint is done in four trials once something passes', async () => {
    const { runner, asked } = runnerOn((step) => (step > 20 ? 3 : 0.1));
    expect((await searchStep({ last: 0, isBase: false }, runner))?.config).toBeDefined();
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  test('a later base is given six', async () => {
    const { runner, asked } = runnerOn((step) => (step > 20 ? 3 : 0.1));
    await searchStep({ last: 0, isBase: true }, runner);
    expect(asked.length).toBeGreaterThan(4);
    expect(asked.length).toBeLessThanOrEqual(6);
  });

  test.each([-30, 0, 12, 40])(
    'a later base ends well inside the threshold, a delta close to it (limit %i)',
    async (limit) => {
      for (const [isBase, least, most] of [
        [true, 0.6, 0.85],
        [false, 0.9, 1],
      ] as const) {
        const { runner, asked } = runnerOn(quadratic(limit));
        const found = await searchStep({ last: limit + 3, isBase }, runner);
        const worst = quadratic(limit)(stepOf(found!.config));
        expect(worst).toBeGreaterThan(least);
        expect(worst).toBeLessThanOrEqual(most);
        expect(asked.length).toBeLessThanOrEqual(4);
      }
    },
  );

  test('goes to the largest allowed step at once if quality has room for it, and stops there', async () => {
    const { runner, asked } = runnerOn(() => -1);
    expect(stepOf((await searchStep({ last: 10, isBase: false, max: 18 }, runner))!.config)).toBe(18);
    expect(asked).toEqual([10, 18]);
  });

  test('finds its way down from steps so large that no weight moves', async () => {
    const { runner, asked } = runnerOn((step) => (step > 48 ? 1.01 : step > 0 ? 1.005 : 0.8));
    expect(stepOf((await searchStep({ last: 60, isBase: false }, runner))!.config)).toBeLessThanOrEqual(0);
    expect(asked.length).toBeLessThanOrEqual(12);
  });

  test('gives up after twelve trials, or when the runner is exhausted', async () => {
    const hopeless = runnerOn(() => Infinity);
    expect(await searchStep({ last: undefined, isBase: true }, hopeless.runner)).toBeUndefined();
    expect(hopeless.asked.length).toBe(12);
    const short = runnerOn(() => 2, { trialsMax: 3 });
    expect(await searchStep({ last: undefined, isBase: true }, short.runner)).toBeUndefined();
    expect(short.asked.length).toBe(3);
  });

  test.each([2, 4])('finds a step for a base in %i trials, however far from the last', async (trialsMax) => {
    for (const limit of [-20, -60, -120]) {
      const { runner, asked } = runnerOn(quadratic(limit), { trialsMax });
      expect(await searchStep({ last: 10, isBase: true }, runner)).toBeDefined();
      expect(asked.length).toBeLessThanOrEqual(trialsMax);
    }
  });

  test('whatever the landscape: ends, asks for nothing twice, and answers with a step that passed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0, max: 4, noNaN: true }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: -300, max: 200 }),
        async (noise, last) => {
          const worst = (step: number): number => noise[((step % noise.length) + noise.length) % noise.length]!;
          const { runner, asked } = runnerOn(worst);
          const found = await searchStep({ last, isBase: false }, runner);
          expect(new Set(asked).size).toBe(asked.length);
          expect(asked.length).toBeLessThanOrEqual(12);
          if (found !== undefined) expect(worst(stepOf(found.config))).toBeLessThanOrEqual(1);
          else expect(asked.every((step) => worst(step) > 1)).toBe(true);
        },
      ),
    );
  });
});

test('a first checkpoint starts where it is told, or at three deviations', async () => {
  for (const [first, asked] of [
    [undefined, 51],
    [137, 137],
    [-20, -20],
  ] as const) {
    const found = runnerOn(() => 0.96);
    await searchStep({ last: undefined, isBase: true, first }, found.runner);
    expect(found.asked).toEqual([asked]);
  }
});
