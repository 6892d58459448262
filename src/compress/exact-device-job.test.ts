import { afterAll, beforeAll, expect, test } from 'vitest';

import type { DeviceChoice } from '../native/core.ts';
import { loadCore } from '../native/load-core.ts';
import { modelOf, openCompressHarness, type CompressHarness } from './harness/compress-harness.test-support.ts';
import {
  expectSamePackages,
  failurePoints,
  pushSeries,
  type DeviceSeries,
} from './harness/device-series.test-support.ts';
import { f32, i64, noise, tinyWeights, type TestTensors } from './harness/tiny-model.test-support.ts';

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

/** The upper halves of binary32 numbers. */
const halves = (values: Float32Array): Uint16Array =>
  new Uint16Array(values.buffer, values.byteOffset, 2 * values.length).filter((_, i) => i % 2 === 1);

/** Tensors of several dtypes, larger than blocks that adaptive models code; most weights move a little. */
function weightsAt(step: number): TestTensors {
  const moved = (count: number, seed: number) => {
    const values = noise(count, seed);
    if (step > 0) noise(count, seed + step).forEach((x, i) => (values[i] = values[i]! + 0.002 * x));
    return values;
  };
  return {
    ...tinyWeights(step),
    'wide.weight': f32([200, 700], moved(140_000, 300)),
    'narrow.weight': { dtype: 'BF16', shape: [100, 200], data: halves(moved(20_000, 400)) },
    'pair.weight': { dtype: 'F16', shape: [50, 200], data: halves(moved(10_000, 500).map((x) => x / 1000)) },
    counts: i64(
      [4000],
      Array.from({ length: 4000 }, (_, i) => (i * i + step) % 977),
    ),
  };
}

let repositories = 0;
const series: DeviceSeries = {
  /** In a repository of its own, so that no tensor is found there already. */
  run: async ({ catalog, newRun }) => {
    repositories += 1;
    const repository = { namespace: 'acme', name: `exact-${repositories}`, type: 'model' } as const;
    const { id: repositoryId } = await catalog.repositories.create(repository);
    return newRun({ repositoryId, fidelity: 'exact', thresholds: {} });
  },
  files: (step) => modelOf(weightsAt(step)),
  steps: [0, 1, 2],
};

test('exact checkpoints on a device have the packages of the processor, byte for byte', async () => {
  const before = there.core.deviceFigures()!;
  await expectSamePackages([here, await pushSeries(here, series)], [there, await pushSeries(there, series)]);
  const after = there.core.deviceFigures()!;
  expect(after.works - before.works).toBeGreaterThan(10);
  expect(after).toMatchObject({ failures: 0, lost: false });
});

test('a device that fails at any of 30 random points costs no exact checkpoint and changes none', async () => {
  const short = { ...series, steps: [0, 1] };
  const expected = await pushSeries(here, short);
  const before = there.core.deviceFigures()!.works;
  await pushSeries(there, short);
  const works = there.core.deviceFigures()!.works - before;
  /** Calls of the device in one work, at least. */
  const callsOfWork = 8;
  for (const [point, at] of failurePoints(works * callsOfWork, 30, 1).entries()) {
    const isLost = point % 2 === 0;
    const device: DeviceChoice = { kind: 'emulated', ...(isLost ? { failsAt: at } : { memoryFailsAt: at }) };
    const core = loadCore({ device, threads: 2 });
    await expectSamePackages([here, expected], [there, await pushSeries(there, short, core)]);
    const figures = core.deviceFigures()!;
    expect(figures.lost, `call ${at}`).toBe(isLost);
    expect(figures.failures, `call ${at}`).toBeGreaterThan(0);
  }
});
