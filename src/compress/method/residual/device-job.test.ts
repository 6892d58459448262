import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { QuantizationConfig } from '../../../checkpoint/options/quantization-config.ts';
import type { DeviceChoice, NativeCore } from '../../../native/core.ts';
import { loadCore } from '../../../native/load-core.ts';
import type { PackageIndex } from '../../../package/package-index.ts';
import {
  openCompressHarness,
  tinySearch,
  withGradients,
  type CompressHarness,
} from '../../harness/compress-harness.test-support.ts';
import { packageContent } from '../../harness/package-content.test-support.ts';
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
async function push(
  harness: CompressHarness,
  { run = {}, weights = tinyWeights, steps = [0, 1, 2, 3], fixed }: Series,
  core: NativeCore = harness.core,
): Promise<Checkpoint[]> {
  const created = await (fixed === undefined ? harness.newRun(run) : harness.newFixedRun(fixed, run));
  const pushed: Checkpoint[] = [];
  for (const step of steps) {
    const files = withGradients(weights(step), tinyGradients(step));
    pushed.push(await harness.push(created, step, files, { ctx: harness.context({ core }) }));
  }
  return pushed;
}

/** A result without what differs between runs. */
function comparable({ result }: Checkpoint) {
  const { seconds: _, ancestorRun: __, ...found } = result!;
  return found;
}

async function expectSamePackages(ofOne: readonly Checkpoint[], ofOther: readonly Checkpoint[]): Promise<void> {
  const indexes = { here: new Map<string, PackageIndex>(), there: new Map<string, PackageIndex>() };
  for (const [i, checkpoint] of ofOne.entries()) {
    expect(ofOther[i]!.state).toBe('ready');
    const a = await packageContent(here, checkpoint, indexes.here);
    const b = await packageContent(there, ofOther[i]!, indexes.there);
    expect(a.payloads.equals(b.payloads), `payloads of checkpoint ${i}`).toBe(true);
    expect(a.description).toEqual(b.description);
    expect(a.indexLengthBytes).toBe(b.indexLengthBytes);
    expect(comparable(ofOther[i]!)).toEqual(comparable(checkpoint));
  }
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
    await expectSamePackages(await push(here, series), await push(there, series));
    const after = there.core.deviceFigures()!;
    expect(after.works - before.works).toBeGreaterThan(20);
    expect(after).toMatchObject({ failures: 0, lost: false });
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
  test.each(all)('$title, at $points points', { timeout: 300_000 }, async (series) => {
    const expected = await push(here, series);
    const before = there.core.deviceFigures()!.works;
    await push(there, series);
    const calls = (there.core.deviceFigures()!.works - before) * callsOfWork;
    for (let point = 0; point < series.points; point += 1) {
      const at = 1 + Math.floor((point * calls) / series.points);
      const isLost = point % 2 === 0;
      const device: DeviceChoice = { kind: 'emulated', ...(isLost ? { failsAt: at } : { memoryFailsAt: at }) };
      const core = loadCore({ device, threads: 2 });
      await expectSamePackages(expected, await push(there, series, core));
      const figures = core.deviceFigures()!;
      expect(figures.lost, `call ${at}`).toBe(isLost);
      expect(figures.failures, `call ${at}`).toBeGreaterThan(0);
    }
  });

  test('and neither does one with hardly any memory', async () => {
    const [series] = all;
    const expected = await push(here, series!);
    for (const budgetBytes of [1024, 16 * 1024, 256 * 1024]) {
      const core = loadCore({ device: { kind: 'emulated', budgetBytes }, threads: 2 });
      await expectSamePackages(expected, await push(there, series!, core));
      expect(core.deviceFigures()!.usedBytes).toBeLessThanOrEqual(budgetBytes);
    }
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
