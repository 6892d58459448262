import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InshrinkeratorConfig } from '../../../../checkpoint/options/methods/inshrinkerator-config.ts';
import { configKey, type QuantizationConfig } from '../../../../checkpoint/options/quantization-config.ts';
import { defaultSearchOptions } from '../../../../checkpoint/options/search-options.ts';
import { ConfigCube } from './config-cube.ts';
import { searchConfig, type ConfigSearch } from './search-config.ts';
import { TrialRunner, type TrialOutcome } from '../../../../search/trial-runner.ts';

/** A landscape: bytes fall and damage grows with aggressiveness along every axis. */
interface Landscape {
  readonly bytes: (config: InshrinkeratorConfig) => number;
  readonly damage: (config: InshrinkeratorConfig) => number;
}

function landscape(sharpness: number, noise: (key: string) => number = () => 0): Landscape {
  const bits = (config: InshrinkeratorConfig): number =>
    (1 - config.pruneFraction) * Math.log2(config.bins) * 100 +
    Math.log2(config.embeddingBins) * 10 +
    config.protectFraction * 1600;
  const metricPenalty = (config: InshrinkeratorConfig): number => (config.pruneMetric === 'magnitude' ? 1 : 0.8);
  return {
    bytes: bits,
    damage: (config) =>
      sharpness *
        (4 / config.bins +
          2 / config.embeddingBins +
          config.pruneFraction ** 2 * metricPenalty(config) -
          20 * config.protectFraction +
          0.2) +
      noise(configKey(config)),
  };
}

function cubeConfig(config: QuantizationConfig | undefined): InshrinkeratorConfig {
  if (config?.method !== 'inshrinkerator') throw new Error('not a config of the cube');
  return config;
}

function runnerOn({ bytes, damage }: Landscape, parallel: number, trialsMax = 1000) {
  const evaluated: string[] = [];
  const runner = new TrialRunner(
    {
      estimateBytes: async (config) => bytes(cubeConfig(config)),
      evaluate: async (config): Promise<TrialOutcome> => {
        evaluated.push(configKey(config));
        const worst = damage(cubeConfig(config));
        return { metrics: { loss: worst }, degradation: { loss: worst }, passed: worst <= 1, worst };
      },
      onTrial: async () => undefined,
    },
    { parallel, trialsMax },
  );
  return { runner, evaluated };
}

const search: ConfigSearch = { options: defaultSearchOptions, model: { hasEmbeddings: true, hasSensitivity: true } };

function everyConfig(): InshrinkeratorConfig[] {
  const cube = new ConfigCube(defaultSearchOptions, { hasEmbeddings: true });
  const points = cube.neighbourhood(cube.lowest(), 99);
  return (['magnitude', 'sensitivity'] as const).flatMap((metric) => points.map((point) => cube.config(point, metric)));
}

describe('searchConfig', () => {
  it.each([0.3, 0.6, 0.9, 1.4, 2])(
    'finds the cheapest passing config of the whole cube on a monotone landscape (sharpness %s)',
    async (sharpness) => {
      const land = landscape(sharpness);
      const best = Math.min(
        ...everyConfig()
          .filter((config) => land.damage(config) <= 1)
          .map(land.bytes),
      );
      const { runner, evaluated } = runnerOn(land, 1);
      const found = await searchConfig(search, runner);
      expect(found?.estimatedBytes).toBe(best);
      expect(evaluated.length).toBeLessThan(120);
    },
  );

  it('finds nothing when nothing passes, and says so by undefined', async () => {
    expect(await searchConfig(search, runnerOn(landscape(50), 1).runner)).toBeUndefined();
  });

  it('finds the cheapest passing config if quality is noise and the guided search finds none', async () => {
    const noise = landscape(0, (key) => (hashUnit(key, 5) > 0.3 ? 0.5 : 3));
    const land = {
      ...noise,
      damage: (config: InshrinkeratorConfig) => (config.bins === 32 ? 9 : noise.damage(config)),
    };
    const best = Math.min(
      ...everyConfig()
        .filter((config) => land.damage(config) <= 1)
        .map(land.bytes),
    );
    expect((await searchConfig(search, runnerOn(land, 1).runner))?.estimatedBytes).toBe(best);
  });

  it.each([2, 3, 20, 64, 150, 200])(
    'spreads %i trials over the cube if they do not suffice for all of it',
    async (trialsMax) => {
      // Trials that the guided search takes before it gives up.
      const guidedTrials = 10;
      // Monotone except for the most conservative corner, as with a tiny model: only configs close to it pass.
      const { bytes } = landscape(1);
      const ranked = everyConfig()
        .filter((config) => config.pruneFraction > 0 || config.pruneMetric === 'magnitude')
        .sort((a, b) => bytes(a) - bytes(b));
      const spacing = Math.ceil(ranked.length / Math.max(1, Math.floor((trialsMax - guidedTrials) / 2)));
      const passing = new Set(ranked.slice(-spacing - 1, -1).map(configKey));
      const land = { bytes, damage: (config: InshrinkeratorConfig) => (passing.has(configKey(config)) ? 0.9 : 1.1) };
      const { runner, evaluated } = runnerOn(land, 1, trialsMax);
      const found = await searchConfig(search, runner);
      expect(evaluated.length).toBeLessThanOrEqual(trialsMax);
      if (trialsMax >= 20) expect(passing.has(configKey(found!.config))).toBe(true);
    },
  );

  it('tries the configs that the spread skipped before the first that passes', async () => {
    const { bytes } = landscape(1);
    // Every other config of the dearer half passes, and the corner fails.
    const fails = (config: InshrinkeratorConfig): boolean =>
      bytes(config) < 380 || (config.bins === 32 && config.protectFraction === 0.01);
    const land = { bytes, damage: (config: InshrinkeratorConfig) => (fails(config) ? 1.1 : 0.9) };
    const { runner } = runnerOn(land, 1, 64);
    const found = await searchConfig({ ...search, model: { hasEmbeddings: true, hasSensitivity: true } }, runner);
    const best = Math.min(
      ...everyConfig()
        .filter((config) => !fails(config))
        .map(bytes),
    );
    expect(found?.estimatedBytes).toBe(best);
  });

  it('stops at the limit on trials', async () => {
    const { runner, evaluated } = runnerOn(landscape(50), 1, 20);
    expect(await searchConfig(search, runner)).toBeUndefined();
    expect(evaluated.length).toBe(20);
  });

  it('gives the same answer for every group size, noisy landscapes included', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0.2, max: 2.5, noNaN: true }),
        fc.integer(),
        fc.boolean(),
        fc.integer({ min: 4, max: 80 }),
        async (sharpness, salt, steady, trialsMax) => {
          const land = landscape(sharpness, (key) => 0.2 * hashUnit(key, salt));
          const last = {
            method: 'inshrinkerator',
            bins: 12,
            embeddingBins: 16,
            pruneFraction: 0.2,
            pruneMetric: 'magnitude',
            protectFraction: 0.0005,
          } as const;
          const answers = [];
          for (const parallel of [1, 2, 3, 8]) {
            const { runner } = runnerOn(land, parallel, trialsMax);
            answers.push(await searchConfig(steady ? { ...search, last } : search, runner));
          }
          for (const answer of answers) expect(answer).toEqual(answers[0]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('stays in the neighbourhood of the last config when one of it passes, trying the other metric first', async () => {
    const last = {
      method: 'inshrinkerator',
      bins: 8,
      embeddingBins: 16,
      pruneFraction: 0.3,
      pruneMetric: 'magnitude',
      protectFraction: 0.0005,
    } as const;
    const { runner, evaluated } = runnerOn(landscape(0.9), 1);
    const found = await searchConfig({ ...search, last }, runner);
    expect(found).toBeDefined();
    expect(evaluated[0]).toBe(configKey({ ...last, pruneMetric: 'sensitivity' }));
    expect(
      Math.abs(
        defaultSearchOptions.bins.indexOf(cubeConfig(found?.config).bins) - defaultSearchOptions.bins.indexOf(8),
      ),
    ).toBeLessThanOrEqual(1);
  });

  it('excludes more aggressive configs only with the option for it', async () => {
    const last = {
      method: 'inshrinkerator',
      bins: 16,
      embeddingBins: 32,
      pruneFraction: 0.1,
      pruneMetric: 'magnitude',
      protectFraction: 0.005,
    } as const;
    const easy = landscape(0.1);
    const free = await searchConfig({ ...search, last }, runnerOn(easy, 1).runner);
    const held = await searchConfig(
      { ...search, options: { ...defaultSearchOptions, neverMoreAggressive: true }, last },
      runnerOn(easy, 1).runner,
    );
    expect(cubeConfig(free?.config).bins).toBe(12);
    expect(held!.config).toMatchObject({ bins: 16, pruneFraction: 0.1, protectFraction: 0.005, embeddingBins: 32 });
  });

  it('falls back to the whole cube when the neighbourhood fails', async () => {
    const land = landscape(1.4);
    const last = {
      method: 'inshrinkerator',
      bins: 4,
      embeddingBins: 16,
      pruneFraction: 0.5,
      pruneMetric: 'magnitude',
      protectFraction: 0.0005,
    } as const;
    const best = Math.min(
      ...everyConfig()
        .filter((config) => land.damage(config) <= 1)
        .map(land.bytes),
    );
    expect((await searchConfig({ ...search, last }, runnerOn(land, 1).runner))?.estimatedBytes).toBe(best);
  });

  const centre = {
    method: 'inshrinkerator',
    bins: 12,
    embeddingBins: 16,
    pruneFraction: 0.3,
    pruneMetric: 'magnitude',
    protectFraction: 0.005,
  } as const;
  const only = (passing: readonly InshrinkeratorConfig[], { bytes }: Landscape): Landscape => ({
    bytes,
    damage: (config) => (passing.some((each) => configKey(each) === configKey(config)) ? 0.95 : 1),
  });
  const strict = ({ bytes, damage }: Landscape): Landscape => ({
    bytes,
    damage: (config) => (damage(config) < 1 ? 0.95 : 1.02),
  });

  it.each([1, 2, 3, 5])(
    'returns a config that passed while the metric was chosen if there are only %i trials',
    async (trialsMax) => {
      const flipped = { ...centre, pruneMetric: 'sensitivity' } as const;
      for (const passing of [[flipped], [flipped, centre]]) {
        const land = strict(only(passing, landscape(1)));
        for (const parallel of [1, 4]) {
          const { runner } = runnerOn(land, parallel, trialsMax);
          expect((await searchConfig({ ...search, last: centre }, runner))?.config).toEqual(flipped);
          expect(runner.trialCount).toBeLessThanOrEqual(trialsMax);
        }
      }
    },
  );

  it('prefers the other metric if it passed and costs less than any config with the last metric', async () => {
    const flipped = { ...centre, pruneMetric: 'sensitivity' } as const;
    const weaker = { ...centre, bins: 16 } as const;
    const found = await searchConfig(
      { ...search, last: centre },
      runnerOn(strict(only([flipped, weaker], landscape(1))), 1).runner,
    );
    expect(found?.config).toEqual(flipped);
  });

  it('answers with the cheapest config that it saw pass, wherever the limit on trials falls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.boolean(), fc.integer({ min: 1, max: 90 }), async (salt, steady, trialsMax) => {
        const land = landscape(1, (key) => 2 * hashUnit(key, salt));
        const { runner, evaluated } = runnerOn(land, 1, trialsMax);
        const found = await searchConfig(steady ? { ...search, last: centre } : search, runner);
        const passed = everyConfig().filter(
          (config) => evaluated.includes(configKey(config)) && land.damage(config) <= 1,
        );
        expect(found?.estimatedBytes).toBe(passed.length === 0 ? undefined : Math.min(...passed.map(land.bytes)));
        expect(evaluated.length).toBeLessThanOrEqual(trialsMax);
      }),
      { numRuns: 100 },
    );
  });

  it.each([0.9, 1.4, 2.5, 50])(
    'never tries a more aggressive config than last time if that is excluded (sharpness %s)',
    async (sharpness) => {
      // A run's first config, one found before the damage grew, and one from a fork with values that are not in this
      // cube.
      for (const last of [
        { ...centre, bins: 4, pruneFraction: 0.5 },
        centre,
        { ...centre, bins: 10, pruneFraction: 0.25, protectFraction: 0.002 },
      ]) {
        const { runner, evaluated } = runnerOn(landscape(sharpness), 1);
        await searchConfig(
          { ...search, options: { ...defaultSearchOptions, neverMoreAggressive: true }, last },
          runner,
        );
        const asked = everyConfig().filter((config) => evaluated.includes(configKey(config)));
        expect(asked.length).toBe(evaluated.length);
        expect(asked.filter((config) => config.bins < last.bins || config.embeddingBins < last.embeddingBins)).toEqual(
          [],
        );
        expect(
          asked.filter(
            (config) => config.pruneFraction > last.pruneFraction || config.protectFraction < last.protectFraction,
          ),
        ).toEqual([]);
      }
    },
  );

  it('finds the cheapest passing config of the rest when the neighbourhood fails', async () => {
    const land = {
      ...landscape(1),
      damage: (config: InshrinkeratorConfig) => (config.pruneFraction === 0 && config.bins === 32 ? 0 : 2),
    };
    const found = await searchConfig(
      { ...search, options: { ...defaultSearchOptions, neverMoreAggressive: true }, last: centre },
      runnerOn(land, 1).runner,
    );
    expect(found?.config).toMatchObject({ bins: 32, pruneFraction: 0, embeddingBins: 16, protectFraction: 0.005 });
  });

  it('keeps the least aggressive value of an axis on which every value is more aggressive than last time', async () => {
    const last = { ...centre, bins: 64, protectFraction: 0.1 };
    const options = { ...defaultSearchOptions, neverMoreAggressive: true };
    const found = await searchConfig({ ...search, options, last }, runnerOn(landscape(0.3), 1).runner);
    expect(found?.config).toMatchObject({ bins: 32, protectFraction: 0.01, pruneFraction: 0.3 });
  });

  it('searches prices of bits only if codebooks are entropy-constrained', async () => {
    const options = { ...defaultSearchOptions, clustering: 'entropy', bitPrices: [1, 4, 2] } as const;
    const cube = new ConfigCube(options, { hasEmbeddings: true });
    expect(cube.sizes).toEqual([6, 2, 6, 3, 3]);
    expect([cube.lowest(), cube.highest()].map((point) => cube.config(point, 'magnitude').bitPrice)).toEqual([4, 1]);
    const land = landscape(0.9);
    const priced = {
      bytes: (config: InshrinkeratorConfig) => land.bytes(config) / (1 + 0.2 * config.bitPrice!),
      damage: (config: InshrinkeratorConfig) => land.damage(config) * (1 + 0.1 * config.bitPrice!),
    };
    const configs = cube
      .points()
      .flatMap((point) => (['magnitude', 'sensitivity'] as const).map((metric) => cube.config(point, metric)));
    const passing = configs.filter((config) => priced.damage(config) <= 1);
    const { runner } = runnerOn(priced, 1);
    const found = await searchConfig({ ...search, options }, runner);
    expect(priced.bytes(cubeConfig(found?.config))).toBe(Math.min(...passing.map((config) => priced.bytes(config))));
    expect(everyConfig().some((config) => 'bitPrice' in config)).toBe(false);
  });

  it('continues from the last price of bits, and excludes higher ones with the option for it', () => {
    const options = { ...defaultSearchOptions, clustering: 'entropy', bitPrices: [1, 4, 2] } as const;
    const cube = new ConfigCube(options, { hasEmbeddings: true });
    const last = { ...cube.config(cube.lowest(), 'magnitude'), bitPrice: 2 };
    expect(cube.pointOf(last)).toEqual([0, 0, 0, 0, 1]);
    const bounded = cube.noMoreAggressiveThan(last);
    expect(new Set(bounded.points().map((point) => bounded.config(point, 'magnitude').bitPrice))).toEqual(
      new Set([2, 1]),
    );
  });

  it('uses magnitude alone without gradients', async () => {
    const { runner, evaluated } = runnerOn(landscape(0.6), 1);
    await searchConfig({ ...search, model: { hasEmbeddings: false, hasSensitivity: false } }, runner);
    expect(evaluated.every((key) => key.includes('/magnitude/'))).toBe(true);
  });
});

/** -0.5..0.5 from a string and a salt, without a generator's state. */
function hashUnit(key: string, salt: number): number {
  let hash = salt | 0;
  for (const char of key) hash = Math.imul(hash ^ char.charCodeAt(0), 0x9e3779b1);
  return ((hash >>> 8) & 0xffff) / 0x10000 - 0.5;
}
