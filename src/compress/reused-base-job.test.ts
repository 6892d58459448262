import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import type { QuantizationConfig } from '../checkpoint/options/quantization-config.ts';
import { chainCost } from './ancestor/chain-cost.ts';
import { chainBytesMax, chainPackagesMax } from './ancestor/restore-budget.ts';
import {
  modelOf,
  openCompressHarness,
  sha256,
  sixteenBins,
  tensorBytes,
  type CompressHarness,
  type Upload,
} from './harness/compress-harness.test-support.ts';
import { f32, noise, type TestTensor, type TestTensors } from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
}, 200_000);
afterAll(() => harness.close());

const [rows, columns] = [64, 160];
const elementCount = rows * columns;
const layerCount = 5;

/** A matrix that walks on at every step. */
function walked(seed: number, step: number): Float32Array {
  const values = noise(elementCount, seed);
  for (let at = 1; at <= step; at++) noise(elementCount, 1000 * at + seed).forEach((x, k) => (values[k]! += 0.3 * x));
  return values;
}

interface Series {
  /** The first layers do not move. */
  readonly frozenLayers?: number;
  readonly dtype?: 'F32' | 'BF16';
}

function upload(step: number, { frozenLayers = 3, dtype = 'F32' }: Series = {}): Upload {
  const tensorOf = (values: Float32Array): TestTensor =>
    dtype === 'F32'
      ? f32([rows, columns], values)
      : {
          dtype,
          shape: [rows, columns],
          data: Uint16Array.from(new Uint32Array(values.buffer), (word) => word >>> 16),
        };
  const tensors = Array.from({ length: layerCount }, (_, i) => [
    `layers.${i}.weight`,
    tensorOf(walked(i, i < frozenLayers ? 0 : step)),
  ]);
  return modelOf(Object.fromEntries(tensors) as TestTensors);
}

/** Fine steps: a base is a fifth of the raw bytes, and a restore may read half of them. */
const fineSteps: QuantizationConfig = { method: 'residual', step: -128 };
const path = 'model.safetensors';

interface Pushing extends Series {
  readonly count: number;
  readonly chainLengthMax?: number;
}

async function pushAll(run: Run, { count, chainLengthMax = 32, ...series }: Pushing): Promise<Checkpoint[]> {
  const pushed: Checkpoint[] = [];
  for (let step = 0; step < count; step++) {
    const ctx = harness.context({ chainLengthMax });
    pushed.push(await harness.push(run, step, upload(step, series), { ctx }));
    expect(pushed.at(-1)!.state).toBe('ready');
  }
  return pushed;
}

const kinds = (pushed: readonly Checkpoint[]): (string | undefined)[] => pushed.map(({ result }) => result?.kind);
const countBases = (pushed: readonly Checkpoint[]): number => kinds(pushed).filter((kind) => kind === 'base').length;
/** Checkpoints that build on the first one, besides the second. */
const countReuses = (pushed: readonly Checkpoint[]): number =>
  pushed.slice(2).filter(({ result }) => result?.ancestorStep === 0).length;

async function expectInBudget(checkpoint: Checkpoint): Promise<void> {
  const chain = chainCost(await harness.catalog.packages.chain(checkpoint.packageId!));
  const { fullBytes, rawBytes } = checkpoint.result!;
  expect(chain.packages).toBeLessThanOrEqual(chainPackagesMax);
  expect(chain.bytes).toBeLessThanOrEqual(
    chainBytesMax(chain.baseBytes, { fullBytes: fullBytes ?? rawBytes, sequence: checkpoint.sequence }),
  );
}

describe('weights that did not move are stored once, although chains end', () => {
  test.each(['F32', 'BF16'] as const)('by the residual method, in %s', async (dtype) => {
    const pushed = await pushAll(await harness.newFixedRun(fineSteps), { count: 12, dtype });
    expect(countBases(pushed)).toBe(1);
    expect(countReuses(pushed)).toBeGreaterThan(1);
    const [first] = pushed;
    const frozen = tensorBytes(await harness.download(first!, path), 'layers.0.weight');
    for (const checkpoint of pushed) {
      await expectInBudget(checkpoint);
      const file = await harness.download(checkpoint, path);
      expect(sha256(file)).toBe((await harness.catalog.files.find(checkpoint.id, path))!.resultSha256);
      expect(tensorBytes(file, 'layers.0.weight')).toEqual(frozen);
    }
  });

  test('by the residual method, and bases come again if all layers move', async () => {
    const pushed = await pushAll(await harness.newFixedRun(fineSteps), { count: 8, frozenLayers: 0 });
    expect(countBases(pushed)).toBeGreaterThan(1);
    expect(countReuses(pushed)).toBe(0);
  });

  test.each<[string, () => Promise<Run>]>([
    ['inshrinkerator', () => harness.newFixedRun(sixteenBins)],
    ['nothing: everything is exact', () => harness.newRun({ fidelity: 'exact', thresholds: {} })],
  ])('by %s', async (_, newRun) => {
    const chainLengthMax = 3;
    const pushed = await pushAll(await newRun(), { count: 9, chainLengthMax });
    expect(countBases(pushed)).toBe(1);
    expect(countReuses(pushed)).toBe(1);
    for (const checkpoint of pushed) {
      expect(checkpoint.result!.chainLength).toBeLessThanOrEqual(chainLengthMax);
      expect(sha256(await harness.download(checkpoint, path))).toBe(
        (await harness.catalog.files.find(checkpoint.id, path))!.resultSha256,
      );
    }
    const moving = await pushAll(await newRun(), { count: 8, frozenLayers: 0, chainLengthMax });
    expect(countBases(moving)).toBeGreaterThan(1);
    expect(countReuses(moving)).toBe(0);
  });
});

describe('a base is stored as before', () => {
  const chainLengthMax = 3;

  test('if the upload before is no longer kept, so that nobody can say what moved', async () => {
    const run = await harness.newFixedRun(sixteenBins);
    const pushed = await pushAll(run, { count: 6, chainLengthMax });
    await harness.catalog.files.releaseRaw(pushed.at(-1)!.id, [path]);
    const ctx = harness.context({ chainLengthMax });
    expect((await harness.push(run, 6, upload(6), { ctx })).result!.kind).toBe('base');
  });

  test('if the base that holds the unmoved weights is damaged', async () => {
    const run = await harness.newFixedRun(sixteenBins);
    const [first] = await pushAll(run, { count: 6, chainLengthMax });
    const { key } = (await harness.catalog.packages.get(first!.packageId!))!;
    await harness.store.delete(key);
    const ctx = harness.context({ chainLengthMax });
    const next = await harness.push(run, 6, upload(6), { ctx });
    expect([next.state, next.result!.kind]).toEqual(['ready', 'base']);
  });
});

test('a fork goes back to the base of the run that it was forked from', async () => {
  const chainLengthMax = 3;
  const parent = await harness.newFixedRun(sixteenBins);
  const pushed = await pushAll(parent, { count: 3, chainLengthMax });
  const fork = await harness.newFixedRun(sixteenBins, { parentCheckpointId: pushed.at(-1)!.id });
  const results = [];
  for (const step of [3, 4, 5, 6]) {
    const ctx = harness.context({ chainLengthMax });
    results.push((await harness.push(fork, step, upload(step), { ctx })).result!);
  }
  expect(results.map(({ kind }) => kind)).toEqual(['delta', 'delta', 'delta', 'delta']);
  expect(results.at(-1)).toMatchObject({ ancestorRun: parent.name, ancestorStep: 0, chainLength: 2 });
});
