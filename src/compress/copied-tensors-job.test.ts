import fc from 'fast-check';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import { Downloads } from '../restore/downloads.ts';
import { unpackPackages } from '../restore/unpack-packages.ts';
import { patternBytes } from '../store/object-store.reference.ts';
import {
  collect,
  modelOf,
  openCompressHarness,
  sha256,
  sixteenBins,
  tensorBytes,
  type CompressHarness,
  type Upload,
} from './harness/compress-harness.test-support.ts';
import {
  f32,
  noise,
  safetensors,
  tinyWeights,
  type TestTensor,
  type TestTensors,
} from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

const exact = { fidelity: 'exact', thresholds: {} } as const;
const matrix = (seed: number, rows = 90, columns = 70): TestTensor => f32([rows, columns], noise(rows * columns, seed));

async function expectWhole(checkpoint: Checkpoint, files: Upload): Promise<void> {
  for (const [path, { bytes }] of Object.entries(files))
    expect(sha256(await harness.download(checkpoint, path)), path).toBe(sha256(bytes));
}

const versionOf = async (checkpoint: Checkpoint): Promise<number> => (await harness.packageBytes(checkpoint))[4]!;

describe('tensors with the same bytes are stored once', () => {
  test.each([
    ['smaller than a block', 90, 70],
    ['larger than a block', 400, 800],
  ])('in one file, %s', async (_, rows, columns) => {
    const run = await harness.newRun(exact);
    const tied = matrix(1, rows, columns);
    const single = await harness.push(run, 0, modelOf({ 'embed.weight': tied, 'fc.weight': matrix(2) }));
    const files = modelOf({
      'embed.weight': tied,
      'fc.weight': matrix(2),
      'head.weight': { ...tied, shape: [columns, rows] },
    });
    const both = await harness.push(await harness.newRun(exact), 0, files);
    expect(await versionOf(both)).toBe(4);
    expect(both.result!.storedBytes).toBeLessThan(single.result!.storedBytes + 100);
    await expectWhole(both, files);
    const delta = await harness.push(await harness.newRun({ ...exact, parentCheckpointId: both.id }), 1, files);
    expect(delta.result!.storedBytes).toBeLessThan(300);
    await expectWhole(delta, files);
  });

  test('in two files: a master copy in an optimizer file, ranges and tensors of it, and other dtypes', async () => {
    const weights = { 'a.weight': matrix(3, 300, 500), 'b.weight': matrix(4) };
    const optimizer = {
      'b.weight': weights['b.weight'],
      'a.moment': matrix(5),
      'master.a.weight': weights['a.weight'],
    };
    const files: Upload = {
      ...modelOf(weights),
      'optimizer.safetensors': { role: 'optimizer', bytes: safetensors(optimizer) },
    };
    const checkpoint = await harness.push(await harness.newRun(exact), 0, files);
    const { id: repositoryId } = await harness.catalog.repositories.create({
      namespace: 'acme',
      name: 'alone',
      type: 'model',
    });
    const alone = await harness.push(
      await harness.newRun({ ...exact, repositoryId }),
      0,
      modelOf({ ...weights, 'a.moment': matrix(5) }),
    );
    expect(checkpoint.result!.storedBytes).toBeLessThan(alone.result!.storedBytes + 400);
    await expectWhole(checkpoint, files);
    const { catalog, store, core } = harness;
    const downloads = new Downloads({ catalog, store, core, restorer: harness.context().freshRestorer() });
    const row = (await catalog.files.find(checkpoint.id, 'optimizer.safetensors'))!;
    const whole = Buffer.from(files['optimizer.safetensors']!.bytes);
    for (const [start, end] of [
      [0, 100],
      [30_000, 30_001],
      [25_000, 600_000],
      [whole.length - 5, whole.length],
    ] as const) {
      const opened = await downloads.openFile(checkpoint, row);
      expect(await collect(opened.stream(start, end))).toEqual(whole.subarray(start, end));
      await opened.close();
    }
    const tensor = await downloads.openTensor(checkpoint, 'master.a.weight');
    expect(await collect(tensor.stream(4, 4000))).toEqual(tensorBytes(whole, 'master.a.weight').subarray(4, 4000));
    await tensor.close();
    const view = await downloads.openFile(checkpoint, row, { dtype: 'BF16' });
    const plain = await downloads.openFile(alone, (await catalog.files.find(alone.id, 'model.safetensors'))!, {
      dtype: 'BF16',
    });
    const [viewed, other] = [
      await collect(view.stream(0, view.sizeBytes)),
      await collect(plain.stream(0, plain.sizeBytes)),
    ];
    expect(tensorBytes(viewed, 'master.a.weight')).toEqual(tensorBytes(other, 'a.weight'));
    await view.close();
    await plain.close();
  });

  test('also of an incompressible file, which is then in the package', async () => {
    const random: TestTensor = { dtype: 'U8', shape: [300_000], data: patternBytes(300_000, 3) };
    const files: Upload = {
      'a.safetensors': {
        role: 'other',
        bytes: safetensors({ x: random, y: { ...random, data: patternBytes(300_000, 4) } }),
      },
      'b.safetensors': { role: 'other', bytes: safetensors({ z: random }) },
    };
    const checkpoint = await harness.push(await harness.newRun(exact), 0, files);
    expect(checkpoint.result!.storedBytes).toBeLessThan(601_500);
    await expectWhole(checkpoint, files);
    const tied: Upload = { 'a.safetensors': { role: 'other', bytes: safetensors({ x: random, y: random }) } };
    const one = await harness.push(await harness.newRun(exact), 0, tied);
    expect(one.result!.storedBytes).toBeLessThan(301_000);
    await expectWhole(one, tied);
  });

  test('of a quantized model: they are quantized alike, and the download has the measured quality', async () => {
    const { 'embed.weight': embed, ...others } = tinyWeights(0);
    const repeated = Float32Array.from({ length: 90 * 70 }, (_, i) => (embed!.data as Float32Array)[i % 512]!);
    const tied = f32([90, 70], repeated);
    for (const config of [sixteenBins, { method: 'residual', step: -20 } as const]) {
      const run = await harness.newFixedRun(config, { layerTypes: { 'x.weight': 'linear', 'y.weight': 'linear' } });
      for (const step of [0, 1]) {
        const moved = f32(
          [90, 70],
          repeated.map((x, i) => (i % 5 === 0 ? x + 0.1 * step : x)),
        );
        const model = modelOf({
          ...others,
          'x.weight': step === 0 ? tied : moved,
          'y.weight': step === 0 ? tied : moved,
        });
        const checkpoint = await harness.push(run, step, model);
        expect(checkpoint.result!.fidelity).toBe('lossy');
        expect(await versionOf(checkpoint)).toBe(4);
        const rebuilt = await harness.download(checkpoint, 'model.safetensors');
        expect(tensorBytes(rebuilt, 'x.weight')).toEqual(tensorBytes(rebuilt, 'y.weight'));
        expect(sha256(rebuilt)).toBe(
          (await harness.catalog.files.find(checkpoint.id, 'model.safetensors'))!.resultSha256,
        );
      }
    }
  });

  test('of a model that is measured', async () => {
    const tensors: TestTensors = { ...tinyWeights(0), 'spare.a': matrix(8), 'spare.b': matrix(8) };
    const checkpoint = await harness.push(await harness.newRun(), 0, modelOf(tensors));
    expect(await versionOf(checkpoint)).toBe(4);
    const rebuilt = await harness.download(checkpoint, 'model.safetensors');
    expect(tensorBytes(rebuilt, 'spare.a')).toEqual(tensorBytes(rebuilt, 'spare.b'));
    expect(checkpoint.result!.measured).toEqual(await harness.measure(rebuilt));
  });

  test('and come out of the packages without the hub', async () => {
    const files: Upload = {
      ...modelOf({ a: matrix(11), b: matrix(11) }),
      'z.safetensors': { role: 'other', bytes: safetensors({ c: matrix(11), d: matrix(12) }) },
    };
    const checkpoint = await harness.push(await harness.newRun(exact), 0, files);
    const folder = await mkdtemp(join(harness.directory, 'unpack-'));
    const packagePath = join(folder, 'package.firn');
    await writeFile(packagePath, await harness.packageBytes(checkpoint));
    await unpackPackages({ core: harness.core, packagePaths: [packagePath], outFolder: join(folder, 'out') });
    for (const [path, { bytes }] of Object.entries(files))
      expect(sha256(await readFile(join(folder, 'out', path)))).toBe(sha256(bytes));
  });
});

test(
  'random files of which some tensors are equal come back whole, along a chain in which other ones become equal',
  { timeout: 120_000 },
  async () => {
    const tensor = fc.record({
      content: fc.nat({ max: 3 }),
      rows: fc.constantFrom(1, 40, 200),
      dtype: fc.constantFrom('F32', 'F16', 'U8' as const),
    });
    const file = fc.array(tensor, { minLength: 1, maxLength: 6 });
    const checkpoint = fc.array(file, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(checkpoint, { minLength: 1, maxLength: 3 }), async (steps) => {
        const run = await harness.newRun(exact);
        for (const [step, contents] of steps.entries()) {
          const files: Upload = Object.fromEntries(
            contents.map((tensors, number) => [
              `file-${number}.safetensors`,
              {
                role: number === 0 ? 'model' : 'other',
                // The layout of a run's model files is fixed.
                bytes: safetensors(
                  Object.fromEntries(
                    (number === 0 ? steps[0]![0]! : tensors).map((each, i) => [
                      `t${i}`,
                      tensorOf(each, number === 0 ? step : 0),
                    ]),
                  ),
                ),
              } as const,
            ]),
          );
          const stored = await harness.push(run, step, files);
          await expectWhole(stored, files);
          expect(stored.result!.storedBytes).toBeLessThanOrEqual(stored.result!.rawBytes + 4096);
        }
      }),
      { numRuns: 12, seed: 7 },
    );
  },
);

const elementBytes = { F32: 4, F16: 2, U8: 1 } as const;

/** The same bytes for the same content, dtype and rows; at a later step the contents of two are the same. */
function tensorOf(
  { content, rows, dtype }: { content: number; rows: number; dtype: keyof typeof elementBytes },
  step: number,
): TestTensor {
  const bytes = patternBytes(rows * 700 * elementBytes[dtype], step > 0 ? content >> 1 : content);
  return { dtype, shape: [rows, 700], data: bytes };
}
