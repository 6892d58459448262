import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { QuantizationConfig } from '../../../checkpoint/options/quantization-config.ts';
import type { DeviceChoice, NativeCore } from '../../../native/core.ts';
import { loadCore } from '../../../native/load-core.ts';
import { compressCheckpoint } from '../../compress-checkpoint.ts';
import type { CompressContext } from '../../compress-context.ts';
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

const emulated: DeviceChoice = { kind: 'emulated' };
let here: CompressHarness;
let there: CompressHarness;
beforeAll(async () => {
  here = await openCompressHarness();
  there = await openCompressHarness({ device: emulated });
});
afterAll(async () => {
  await here.close();
  await there.close();
});

/** The tiny model with a layer of several blocks, and one whose weights hardly move. */
function weightsAt(step: number): TestTensors {
  const wide = noise(200 * 800, 77);
  noise(200 * 800, 78 + step).forEach((x, i) => {
    if (i % 7 === step) wide[i] = wide[i]! + 0.1 * x;
  });
  const still = noise(300 * 100, 79).map((x, i) => (i % 997 === step ? x + 1 : x));
  return { ...tinyWeights(step), 'wide.weight': f32([200, 800], wide), 'still.weight': f32([300, 100], still) };
}

interface Series {
  readonly title: string;
  readonly run?: Parameters<CompressHarness['newRun']>[0];
  readonly weights?: (step: number) => TestTensors;
  readonly steps?: readonly number[];
  /** Without eval set. */
  readonly fixed?: QuantizationConfig;
}
const residual = { ...tinySearch, method: 'residual' } as const;
const given = (step: number) => ({ search: { ...residual, fixedConfig: { method: 'residual', step } as const } });

/** Packages of a series of checkpoints, encoded with the harness's core or another one. */
function push(
  harness: CompressHarness,
  { run = {}, weights = tinyWeights, steps = [0, 1, 2, 3], fixed }: Series,
  core?: NativeCore,
): Promise<Checkpoint[]> {
  const series: DeviceSeries = {
    run: (to) => (fixed === undefined ? to.newRun(run) : to.newFixedRun(fixed, run)),
    files: (step) => withGradients(weights(step), tinyGradients(step)),
    steps,
  };
  return pushSeries(harness, series, core);
}

function expectSame(ofHere: readonly Checkpoint[], ofThere: readonly Checkpoint[]): Promise<void> {
  return expectSamePackages([here, ofHere], [there, ofThere]);
}

describe('a series on a device has the packages of the processor, byte for byte', () => {
  const all: readonly Series[] = [
    { title: 'searched, rounded along the inputs', run: { search: residual } },
    { title: 'searched, to the nearest step', run: { search: { ...residual, rounding: 'nearest' } } },
    { title: 'searched, with moves priced in bits', run: { search: { ...residual, hysteresis: 'priced' } } },
    { title: 'searched, with a bound on the weights', run: { search: { ...residual, weightErrorMax: 0.2 } } },
    { title: 'with a given config, in many blocks', run: given(-64), weights: weightsAt },
    { title: 'with a given config of fine steps', run: given(-260), weights: weightsAt },
  ];
  test.each(all)('$title', { timeout: 300_000 }, async (series) => {
    const before = there.core.deviceFigures()!;
    const ofDevice = await push(there, series);
    await expectSame(await push(here, series), ofDevice);
    const after = there.core.deviceFigures()!;
    expect(after.works - before.works).toBeGreaterThan(20);
    expect(after).toMatchObject({ failures: 0, lost: false });
    expect(new Set(ofDevice.map(({ result }) => result!.encodedOn))).toEqual(new Set(['emulated']));
    expect(after.usedBytes).toBeLessThanOrEqual(after.budgetBytes);
  });
});

describe('a device that fails costs no checkpoint and changes none', () => {
  /** Calls of the device in one work, at least. */
  const callsOfWork = 8;
  const all: readonly (Series & { readonly points: number })[] = [
    { title: 'with a given config', fixed: { method: 'residual', step: -96 }, steps: [0, 1], points: 90 },
    { title: 'searched, rounded along the inputs', run: { search: residual }, steps: [0, 1], points: 10 },
  ];
  test.each(all)('$title, at $points random points', { timeout: 300_000 }, async (series) => {
    const expected = await push(here, series);
    const before = there.core.deviceFigures()!.works;
    await push(there, series);
    const calls = (there.core.deviceFigures()!.works - before) * callsOfWork;
    let without = 0;
    for (const [point, at] of failurePoints(calls, series.points, 1).entries()) {
      const isLost = point % 2 === 0;
      const device: DeviceChoice = { kind: 'emulated', ...(isLost ? { failsAt: at } : { memoryFailsAt: at }) };
      const core = loadCore({ device, threads: 2 });
      const found = await push(there, series, core);
      await expectSame(expected, found);
      const devices = found.map(({ result }) => result!.encodedOn);
      const figures = core.deviceFigures()!;
      expect(figures.lost, `call ${at}`).toBe(isLost);
      if (isLost) {
        expect(['cpu', 'mixed'], `call ${at}`).toContain(devices.at(-1));
        expect(figures.failures, `call ${at}`).toBeGreaterThan(0);
        continue;
      }
      // A state for which there is no room is only not kept: nothing is done again for it.
      expect(devices.includes('mixed'), `call ${at}`).toBe(figures.failures > 0);
      without += Number(figures.failures === 0);
    }
    expect(without).toBeLessThan(series.points / 4);
  });

  test('and neither does one with hardly any memory', async () => {
    const [series] = all;
    const expected = await push(here, series!);
    for (const budgetBytes of [1024, 16 * 1024, 256 * 1024]) {
      const core = loadCore({ device: { kind: 'emulated', budgetBytes }, threads: 2 });
      await expectSame(expected, await push(there, series!, core));
      expect(core.deviceFigures()!.usedBytes).toBeLessThanOrEqual(budgetBytes);
    }
  });
});

/** Bytes of uploads that a harness's jobs read from the store during `work`. */
async function readOfUploads({ store }: CompressHarness, work: () => Promise<void>): Promise<number> {
  let bytes = 0;
  const open = store.open.bind(store);
  const spy = vi.spyOn(store, 'open').mockImplementation(async (key) => {
    const reader = await open(key);
    const read = reader.read.bind(reader);
    if (key.startsWith('staged/'))
      reader.read = (offset, length, ...rest) => {
        bytes += length;
        return read(offset, length, ...rest);
      };
    return reader;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return bytes;
}

describe('what a checkpoint brought to a device, or left behind there', () => {
  const fixed: QuantizationConfig = { method: 'residual', step: -64 };
  const elements = Object.values(weightsAt(0)).reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
  const upload = (step: number) => withGradients(weightsAt(step), tinyGradients(step));

  test('is neither decoded nor sent again: the next one sends as much as the first', async () => {
    const core = loadCore({ device: emulated, threads: 2 });
    const run = await there.newFixedRun(fixed);
    const sent: number[] = [];
    for (const step of [0, 1, 2]) {
      const before = core.deviceFigures()!.uploadedBytes;
      const { state } = await there.push(run, step, upload(step), { ctx: there.context({ core }) });
      expect(state).toBe('ready');
      sent.push(core.deviceFigures()!.uploadedBytes - before);
    }
    // Each sends weights, which are F32, and no state: what a base starts from is one value a tensor.
    for (const bytes of sent) expect(bytes / elements).toBeGreaterThan(4);
    for (const bytes of sent) expect(bytes / elements).toBeLessThan(5);
  });

  test('is not there after a restart, and the state is decoded and sent', async () => {
    const run = await there.newFixedRun(fixed);
    const sentBy = async (step: number): Promise<number> => {
      const core = loadCore({ device: emulated, threads: 2 });
      await there.push(run, step, upload(step), { ctx: there.context({ core }) });
      return core.deviceFigures()!.uploadedBytes;
    };
    await sentBy(0);
    expect((await sentBy(1)) / elements).toBeGreaterThan(9);
  });

  test('is read from the store once by a device, and for every pass by the processor', async () => {
    const reads: number[] = [];
    for (const harness of [here, there]) {
      const run = await harness.newFixedRun(fixed);
      // Nothing fits into the caches, as with a large model.
      const ctx = harness.context({ cacheMaxBytes: 0 });
      const bytes = await readOfUploads(harness, async () => {
        for (const step of [0, 1]) await harness.push(run, step, upload(step), { ctx });
      });
      reads.push(bytes / 2 / (4 * elements));
    }
    const [byProcessor, byDevice] = reads;
    expect(byDevice).toBeLessThan(2.5);
    expect(byProcessor).toBeGreaterThan(byDevice! + 1.5);
  });

  test('is not taken for that of another attempt at the same checkpoint, whose package was committed', async () => {
    const core = loadCore({ device: emulated, threads: 2 });
    const packages = async (
      harness: CompressHarness,
      ctx: CompressContext,
      losesOne: boolean,
    ): Promise<Checkpoint[]> => {
      const run = await harness.newFixedRun(fixed);
      const done: Checkpoint[] = [];
      for (const step of [0, 1, 2]) {
        const queued = await harness.queue(run, step, upload(step));
        if (losesOne && step === 1) {
          // Verified and left on the device, but never committed: another worker has the claim by now.
          const checkpoint = { ...queued, fixedConfig: { method: 'residual', step: -96 } as const };
          const rows = await harness.catalog.files.list(queued.id);
          const { result } = await compressCheckpoint(
            ctx,
            { checkpoint, run, rows, attempt: 77 },
            new AbortController().signal,
          );
          expect(result.encodedOn).toBe('emulated');
        }
        await harness.work(ctx);
        done.push(await harness.checkpoint(queued.id));
      }
      return done;
    };
    const expected = await packages(here, here.context(), false);
    await expectSame(expected, await packages(there, there.context({ core }), true));
  });

  test('is let go of if the commit fails, and made again', async () => {
    const core = loadCore({ device: emulated, threads: 2 });
    const forgotten: string[] = [];
    const watched = Object.assign(Object.create(core) as NativeCore, {
      forgetOnDevice: (prefix: string) => {
        forgotten.push(prefix);
        core.forgetOnDevice(prefix);
      },
    });
    const run = await there.newFixedRun(fixed);
    const queued = await there.queue(run, 0, upload(0));
    const refuse = (): Promise<void> => Promise.reject(new Error('the database is gone'));
    const refused = there.work(there.context({ core: watched, afterCommit: refuse }));
    await expect(refused).rejects.toThrow('the database is gone');
    expect(forgotten).toEqual([`package:packages/${queued.id.replaceAll('-', '')}-1/`]);
    await there.work(there.context({ core: watched }));
    const next = await there.push(run, 1, upload(1), { ctx: there.context({ core: watched }) });
    const expected = await push(here, { title: '', fixed, weights: weightsAt, steps: [0, 1] });
    await expectSame(expected, [await there.checkpoint(queued.id), next]);
  });
});

test('there is a sentence where there is no device, and the processor does the work', async () => {
  const sentences: string[] = [];
  const core = loadCore({
    device: { kind: 'cuda', index: 0 },
    threads: 1,
    onNoDevice: (why) => sentences.push(why),
  });
  expect(sentences).toEqual([expect.stringMatching(/\w/)]);
  expect(core.deviceFigures()).toBeUndefined();
  expect(core.openDeviceScope()).toBeUndefined();
});
