import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { InshrinkeratorConfig } from '../../../checkpoint/options/methods/inshrinkerator-config.ts';
import type { DeviceChoice } from '../../../native/core.ts';
import { loadCore } from '../../../native/load-core.ts';
import {
  openCompressHarness,
  tinySearch,
  withGradients,
  type CompressHarness,
} from '../../harness/compress-harness.test-support.ts';
import {
  expectSamePackages,
  failurePoints,
  pushSeries,
  type DeviceSeries,
} from '../../harness/device-series.test-support.ts';
import { f32, noise, tinyGradients, tinyWeights, type TestTensors } from '../../harness/tiny-model.test-support.ts';

let here: CompressHarness;
let there: CompressHarness;
beforeAll(async () => {
  here = await openCompressHarness();
  there = await openCompressHarness({ device: { kind: 'emulated' } });
});
afterAll(async () => {
  await here.close();
  await there.close();
});

/** The tiny model with a layer of two blocks. */
function wideWeights(step: number): TestTensors {
  const wide = noise(200 * 800, 77);
  noise(200 * 800, 78 + step).forEach((x, i) => {
    if (i % 7 === step) wide[i] = wide[i]! + 0.1 * x;
  });
  return { ...tinyWeights(step), 'wide.weight': f32([200, 800], wide) };
}

const given: InshrinkeratorConfig = {
  method: 'inshrinkerator',
  bins: 12,
  embeddingBins: 16,
  pruneFraction: 0.2,
  pruneMetric: 'sensitivity',
  protectFraction: 0.01,
};
const tiny = (step: number) => withGradients(tinyWeights(step), tinyGradients(step));
const wide = (step: number) => withGradients(wideWeights(step), tinyGradients(step));
const fixed = (config: InshrinkeratorConfig, files = tiny): DeviceSeries => ({
  run: (harness) => harness.newFixedRun(config),
  files,
  steps: [0, 1, 2],
});
const searched = (search: Partial<typeof tinySearch> = {}): DeviceSeries => ({
  run: (harness) => harness.newRun({ search: { ...tinySearch, ...search } }),
  files: tiny,
  steps: [0, 1],
});

describe('a series on a device has the packages of the processor, byte for byte', () => {
  test.each<[string, DeviceSeries]>([
    ['searched', searched()],
    ['searched, with optimal codebooks', searched({ clustering: 'optimal', trialsMax: 12 })],
    ['with a given config, in several blocks', fixed(given, wide)],
    ['pruned by magnitude, with nothing protected', fixed({ ...given, pruneMetric: 'magnitude', protectFraction: 0 })],
    ['with a price of bits', fixed({ ...given, bitPrice: 2 })],
  ])('%s', { timeout: 300_000 }, async (_, series) => {
    const before = there.core.deviceFigures()!;
    await expectSamePackages([here, await pushSeries(here, series)], [there, await pushSeries(there, series)]);
    const after = there.core.deviceFigures()!;
    expect(after.works - before.works).toBeGreaterThan(20);
    expect(after).toMatchObject({ failures: 0, lost: false });
    expect(after.usedBytes).toBeLessThanOrEqual(after.budgetBytes);
  });

  test('and its weights are sent once for all passes', async () => {
    const series = { ...fixed(given, wide), steps: [0] };
    const before = there.core.deviceFigures()!.uploadedBytes;
    await pushSeries(there, series);
    const quantized = Object.entries(wideWeights(0)).filter(([name]) => name.endsWith('weight'));
    const weightBytes = quantized.reduce((sum, [, { data }]) => sum + data.byteLength, 0);
    expect(there.core.deviceFigures()!.uploadedBytes - before).toBeLessThan(1.2 * weightBytes);
  });
});

describe('a device that fails costs no checkpoint and changes none', () => {
  /** Calls of the device in one work, at least. */
  const callsOfWork = 8;
  const series: DeviceSeries = { ...fixed(given), steps: [0, 1] };

  test('at 100 random points', { timeout: 300_000 }, async () => {
    const expected = await pushSeries(here, series);
    const before = there.core.deviceFigures()!.works;
    await pushSeries(there, series);
    const calls = (there.core.deviceFigures()!.works - before) * callsOfWork;
    for (const [point, at] of failurePoints(calls, 100, 1).entries()) {
      const isLost = point % 2 === 0;
      const device: DeviceChoice = { kind: 'emulated', ...(isLost ? { failsAt: at } : { memoryFailsAt: at }) };
      const core = loadCore({ device, threads: 2 });
      await expectSamePackages([here, expected], [there, await pushSeries(there, series, core)]);
      const figures = core.deviceFigures()!;
      expect(figures.lost, `call ${at}`).toBe(isLost);
      expect(figures.failures, `call ${at}`).toBeGreaterThan(0);
    }
  });

  test('and neither does one with hardly any memory', async () => {
    const expected = await pushSeries(here, series);
    for (const budgetBytes of [1024, 16 * 1024, 1024 * 1024]) {
      const core = loadCore({ device: { kind: 'emulated', budgetBytes }, threads: 2 });
      await expectSamePackages([here, expected], [there, await pushSeries(there, series, core)]);
      expect(core.deviceFigures()!.usedBytes).toBeLessThanOrEqual(budgetBytes);
    }
  });
});
