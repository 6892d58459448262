import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { patternBytes } from '../store/object-store.reference.ts';
import {
  floatsOf,
  modelOf,
  openCompressHarness,
  sha256,
  sixteenBins,
  type CompressHarness,
  type Upload,
} from './harness/compress-harness.test-support.ts';
import { f32, safetensors, tinyWeights } from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

describe('an incompressible file', () => {
  const random = (seed: number) => patternBytes(300_000, seed);

  test('is the raw object itself, with at most 4 KiB above the raw bytes', async () => {
    const run = await harness.newRun({ fidelity: 'exact', thresholds: {} });
    const files = (step: number): Upload => ({
      'noise.bin': { role: 'other', bytes: random(step) },
      'noise.safetensors': {
        role: 'optimizer',
        bytes: safetensors({ m: { dtype: 'U8', shape: [300_000], data: random(step + 9) } }),
      },
      'text.txt': { role: 'other', bytes: Buffer.alloc(200_000, 'firn ') },
    });
    const first = await harness.push(run, 0, files(0));
    const second = await harness.push(run, 1, files(1));
    for (const [step, checkpoint] of [first, second].entries()) {
      const rows = await harness.catalog.files.list(checkpoint.id);
      expect(Object.fromEntries(rows.map((row) => [row.path, row.storage]))).toEqual({
        'noise.bin': 'raw',
        'noise.safetensors': 'raw',
        'text.txt': 'package',
      });
      expect(rows.filter((row) => row.rawKey !== undefined).map((row) => row.path)).toEqual([
        'noise.bin',
        'noise.safetensors',
      ]);
      for (const [path, { bytes }] of Object.entries(files(step)))
        expect(sha256(await harness.download(checkpoint, path))).toBe(sha256(bytes));
    }
    const kept = [...(await harness.catalog.files.list(first.id))].flatMap((row) =>
      row.rawStoredBytes === undefined ? [] : [row.rawStoredBytes],
    );
    const { key } = (await harness.catalog.packages.get(first.packageId!))!;
    expect(first.result!.storedBytes).toBe(
      kept.reduce((a, b) => a + b, 0) + (await harness.store.stat(key))!.storedBytes,
    );
  });

  test('bound of stored bytes over raw bytes, for random files of many sizes', async () => {
    const run = await harness.newRun({ fidelity: 'exact', thresholds: {} });
    for (const [step, sizeBytes] of [1, 1000, 65_535, 65_536, 1_200_000].entries()) {
      const { result } = await harness.push(run, step, {
        'noise.bin': { role: 'other', bytes: patternBytes(sizeBytes, step) },
      });
      expect(result!.storedBytes, `${sizeBytes} bytes`).toBeLessThanOrEqual(result!.rawBytes + 4096);
    }
  });

  test('a model file that stays raw is measured too', async () => {
    const { 'fc.bias': bias, ...weights } = tinyWeights(0);
    const files: Upload = {
      'model-1.safetensors': {
        role: 'model',
        bytes: safetensors({ 'fc.bias': bias!, table: { dtype: 'U8', shape: [300_000], data: random(3) } }),
      },
      'model-2.safetensors': { role: 'model', bytes: safetensors(weights) },
    };
    const checkpoint = await harness.push(await harness.newRun(), 0, files);
    expect((await harness.catalog.files.list(checkpoint.id)).map((row) => row.storage)).toEqual(['raw', 'package']);
    const rebuilt = await harness.download(checkpoint, 'model-2.safetensors');
    const whole = safetensors({
      'fc.bias': bias!,
      ...Object.fromEntries(
        Object.keys(weights).map((name) => [name, f32(weights[name]!.shape, floatsOf(rebuilt, name))]),
      ),
    });
    expect(checkpoint.result!.measured).toEqual(await harness.measure(whole));
    expect(checkpoint.result!.measured).not.toEqual(checkpoint.result!.baseline);
  });
});

describe('chains', () => {
  test('never grow beyond the limit; if all near chains are full, a base begins a new one', async () => {
    const run = await harness.newFixedRun(sixteenBins);
    const ctx = harness.context({ chainLengthMax: 3 });
    const lengths: number[] = [];
    for (let step = 0; step < 8; step += 1) {
      const { result, packageId } = await harness.push(run, step, modelOf(tinyWeights(step)), { ctx });
      lengths.push(result!.chainLength);
      expect(await harness.catalog.packages.chain(packageId!)).toHaveLength(result!.chainLength);
    }
    expect(Math.max(...lengths)).toBe(3);
    expect(lengths.filter((length) => length === 1).length).toBe(2);
  });

  test('a limit of one stores bases alone', async () => {
    const run = await harness.newFixedRun(sixteenBins);
    const ctx = harness.context({ chainLengthMax: 1 });
    for (const step of [0, 1])
      expect((await harness.push(run, step, modelOf(tinyWeights(step)), { ctx })).result).toMatchObject({
        kind: 'base',
        chainLength: 1,
      });
  });

  test('a delta against other bins decodes to the same as a base of the same weights', async () => {
    const run = await harness.newFixedRun(sixteenBins);
    await harness.push(run, 0, modelOf(tinyWeights(0)));
    const fewer = { ...sixteenBins, bins: 5, pruneFraction: 0, protectFraction: 0 };
    const delta = await harness.push(run, 1, modelOf(tinyWeights(1)), { fixedConfig: fewer });
    const base = await harness.push(await harness.newFixedRun(fewer), 1, modelOf(tinyWeights(1)));
    const more = await harness.push(run, 2, modelOf(tinyWeights(2)), { fixedConfig: { ...sixteenBins, bins: 32 } });
    expect([delta, more].map(({ result }) => result!.kind)).toEqual(['delta', 'delta']);
    expect(await harness.download(delta, 'model.safetensors')).toEqual(
      await harness.download(base, 'model.safetensors'),
    );
  });
});
