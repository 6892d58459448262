import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import { deleteCheckpoint } from '../upkeep/delete-checkpoint.ts';
import { Downloads } from '../restore/downloads.ts';
import { unpackPackages } from '../restore/unpack-packages.ts';
import {
  collect,
  floatsOf,
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
let repositoryId: string;
let repositories = 0;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());
beforeEach(async () => {
  repositoryId = (
    await harness.catalog.repositories.create({ namespace: 'acme', name: `masters-${repositories++}`, type: 'model' })
  ).id;
});

type HalfDtype = 'BF16' | 'F16';
const exactState = { firstMoment: 'exact', secondMoment: 'exact', momentum: 'exact' } as const;
const newExactRun = (changes: Partial<Run> = {}): Promise<Run> =>
  harness.newRun({ fidelity: 'exact', thresholds: {}, repositoryId, ...changes });
const giving = (changes: Partial<Run> = {}): Promise<Run> =>
  newExactRun({ state: { ...exactState, master: 'weights' }, ...changes });

const weight = (rows: number, columns: number, seed: number, moved = 0): TestTensor =>
  f32(
    [rows, columns],
    noise(rows * columns, seed).map((x, i) => 0.02 * x * (1 + (moved * ((i * 7919) % 13)) / 1e5)),
  );

async function rounded(tensors: TestTensors, dtype: HalfDtype): Promise<TestTensors> {
  const halves = Object.entries(tensors).map(async ([name, { shape, data }]) => {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    return [name, { dtype, shape, data: await harness.core.convert(Uint8Array.from(bytes), 'F32', dtype) }] as const;
  });
  return Object.fromEntries(await Promise.all(halves));
}

const prefixed = (tensors: TestTensors, prefix: string): TestTensors =>
  Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [prefix + name, tensor]));

/** Masters of a tensor of several blocks, and of two that share one, with moments. */
const mastersAt = (moved = 0): TestTensors => ({
  'a.weight': weight(500, 600, 1, moved),
  'b.weight': weight(60, 40, 2, moved),
  'c.weight': weight(30, 50, 3, moved),
});

async function mixed(
  masters: TestTensors,
  dtype: HalfDtype,
  names = { model: 'model.safetensors', optimizer: 'optimizer.safetensors' },
): Promise<Upload> {
  const moments = { 'exp_avg.b.weight': weight(60, 40, 12), 'exp_avg.z': weight(70, 30, 13) };
  return {
    [names.model]: { role: 'model', bytes: safetensors(await rounded(masters, dtype)) },
    [names.optimizer]: { role: 'optimizer', bytes: safetensors({ ...prefixed(masters, 'master.'), ...moments }) },
  };
}

const versionOf = async (checkpoint: Checkpoint): Promise<number> => (await harness.packageBytes(checkpoint))[4]!;

async function expectWhole(checkpoint: Checkpoint, files: Upload): Promise<void> {
  for (const [path, { bytes }] of Object.entries(files))
    expect(sha256(await harness.download(checkpoint, path)), path).toBe(sha256(bytes));
}

/** Stored bytes of a file alone. */
async function alone(files: Upload): Promise<number> {
  const { id } = await harness.catalog.repositories.create({
    namespace: 'acme',
    name: `alone-${repositories++}`,
    type: 'model',
  });
  return (await harness.push(await newExactRun({ repositoryId: id }), 0, files)).result!.storedBytes;
}

describe('masters that the model was rounded from', () => {
  test.each(['BF16', 'F16'] as const)(
    'take the bits that rounding to %s removed, and are restored by range, by tensor and as another dtype',
    async (dtype) => {
      const files = await mixed(mastersAt(), dtype);
      const checkpoint = await harness.push(await newExactRun(), 0, files);
      expect(await versionOf(checkpoint)).toBe(5);
      expect(checkpoint.result!.fidelity).toBe('exact');
      const [model, optimizer] = await Promise.all(
        Object.entries(files).map(([path, file]) => alone({ [path]: file })),
      );
      expect(checkpoint.result!.storedBytes).toBeLessThan(1.02 * optimizer!);
      expect(checkpoint.result!.storedBytes).toBeLessThan(0.8 * (model! + optimizer!));
      await expectWhole(checkpoint, files);
      const whole = Buffer.from(files['optimizer.safetensors']!.bytes);
      const { catalog, store, core } = harness;
      const downloads = new Downloads({ catalog, store, core, restorer: harness.context().freshRestorer() });
      const row = (await catalog.files.find(checkpoint.id, 'optimizer.safetensors'))!;
      for (const [start, end] of [
        [0, 100],
        [600_001, 600_002],
        [524_000, 530_000],
        [whole.length - 30_000, whole.length],
      ] as const) {
        const opened = await downloads.openFile(checkpoint, row);
        expect((await collect(opened.stream(start, end))).equals(whole.subarray(start, end))).toBe(true);
        await opened.close();
      }
      const tensor = await downloads.openTensor(checkpoint, 'master.c.weight', { dtype });
      expect(await collect(tensor.stream(0, tensor.sizeBytes))).toEqual(
        tensorBytes(Buffer.from(files['model.safetensors']!.bytes), 'c.weight'),
      );
      await tensor.close();
    },
  );

  test('are found whatever they are called, also in a file before the model', async () => {
    const masters = mastersAt();
    const files: Upload = {
      'a.safetensors': {
        role: 'optimizer',
        bytes: safetensors({ '0': masters['a.weight']!, '1': masters['b.weight']! }),
      },
      'model.safetensors': { role: 'model', bytes: safetensors(await rounded(masters, 'BF16')) },
    };
    const checkpoint = await harness.push(await newExactRun(), 0, files);
    expect(await versionOf(checkpoint)).toBe(5);
    await expectWhole(checkpoint, files);
  });

  test('are coded against an ancestor if that is smaller, and are rebuilt along the chain', async () => {
    const run = await newExactRun();
    const steps: { readonly checkpoint: Checkpoint; readonly files: Upload }[] = [];
    // The same weights; then all move a little; then the model has another dtype; then the masters belong to none of
    // its weights.
    const uploads = [
      await mixed(mastersAt(), 'BF16'),
      await mixed(mastersAt(), 'BF16'),
      await mixed(mastersAt(1), 'BF16'),
      await mixed(mastersAt(400), 'BF16'),
      {
        ...(await mixed(mastersAt(401), 'BF16')),
        'model.safetensors': (await mixed(mastersAt(800), 'BF16'))['model.safetensors']!,
      },
    ];
    for (const [step, files] of uploads.entries())
      steps.push({ checkpoint: await harness.push(run, step, files), files });
    expect(steps.map(({ checkpoint }) => checkpoint.result!.kind)).toEqual([
      'base',
      'delta',
      'delta',
      'delta',
      'delta',
    ]);
    expect(steps[1]!.checkpoint.result!.storedBytes).toBeLessThan(1000);
    expect(steps[2]!.checkpoint.result!.storedBytes).toBeLessThan(0.8 * steps[0]!.checkpoint.result!.storedBytes);
    for (const { checkpoint, files } of steps) await expectWhole(checkpoint, files);
    await deleteCheckpoint(harness, steps[0]!.checkpoint);
    await expectWhole(steps[2]!.checkpoint, steps[2]!.files);
  });

  test('stay exact if the model is a reference, and if it is lossy', async () => {
    const files = await mixed(mastersAt(), 'BF16');
    await harness.push(await newExactRun(), 0, { 'model.safetensors': files['model.safetensors']! });
    const second = await harness.push(await newExactRun(), 0, files);
    expect((await harness.catalog.files.find(second.id, 'model.safetensors'))!.storage).toBe('reference');
    expect(await versionOf(second)).toBe(1);
    await expectWhole(second, files);
    const lossy = await harness.push(
      await harness.newFixedRun({ method: 'residual', step: 0 }, { repositoryId }),
      0,
      files,
    );
    expect(await versionOf(lossy)).toBe(2);
    expect(sha256(await harness.download(lossy, 'optimizer.safetensors'))).toBe(
      sha256(files['optimizer.safetensors']!.bytes),
    );
  });

  test('and come out of the package without the hub', async () => {
    const files = await mixed(mastersAt(), 'F16');
    const checkpoint = await harness.push(await giving(), 0, {
      ...files,
      'z.safetensors': { role: 'optimizer', bytes: files['optimizer.safetensors']!.bytes },
    });
    const folder = await mkdtemp(join(harness.directory, 'unpack-'));
    const packagePath = join(folder, 'package.firn');
    await writeFile(packagePath, await harness.packageBytes(checkpoint));
    await unpackPackages({ core: harness.core, packagePaths: [packagePath], outFolder: join(folder, 'out') });
    for (const path of ['model.safetensors', 'optimizer.safetensors', 'z.safetensors'])
      expect(sha256(await readFile(join(folder, 'out', path))), path).toBe(
        sha256(await harness.download(checkpoint, path)),
      );
  });
});

describe('masters given up for the weights', () => {
  /** Every master of the download is the model's tensor as F32. */
  async function expectWeights(
    checkpoint: Checkpoint,
    dtype: HalfDtype | 'F32',
    names: readonly string[],
    paths = ['model.safetensors', 'optimizer.safetensors'],
  ) {
    const [model, optimizer] = await Promise.all(paths.map((path) => harness.download(checkpoint, path)));
    for (const name of names) {
      const weights = Uint8Array.from(tensorBytes(model!, name));
      const wide = dtype === 'F32' ? weights : await harness.core.convert(weights, dtype, 'F32');
      expect(Buffer.compare(tensorBytes(optimizer!, `master.${name}`), wide), name).toBe(0);
    }
    return { model: model!, optimizer: optimizer! };
  }

  test.each(['BF16', 'F16'] as const)('take no bytes next to exact %s; moments stay', async (dtype) => {
    const files = await mixed(mastersAt(), dtype);
    const checkpoint = await harness.push(await giving(), 0, files);
    const model = await alone({ 'model.safetensors': files['model.safetensors']! });
    expect(checkpoint.result!.storedBytes).toBeLessThan(model + 20_000);
    const { optimizer } = await expectWeights(checkpoint, dtype, ['a.weight', 'b.weight', 'c.weight']);
    expect(tensorBytes(optimizer, 'exp_avg.z')).toEqual(
      tensorBytes(Buffer.from(files['optimizer.safetensors']!.bytes), 'exp_avg.z'),
    );
    expect(checkpoint.result!.warnings).toEqual([]);
    const { resultSha256 } = (await harness.catalog.files.find(checkpoint.id, 'optimizer.safetensors'))!;
    expect(resultSha256).toBe(sha256(optimizer));
  });

  test.each(['residual', 'inshrinkerator'] as const)(
    'come back as the lossy weights do: method %s, F32 and BF16, in a file before the model too',
    async (method) => {
      const config = method === 'residual' ? ({ method, step: 0 } as const) : sixteenBins;
      for (const dtype of ['F32', 'BF16'] as const) {
        const masters = { ...tinyWeights(0), 'fc.weight': tinyWeights(0)['fc.weight']!, big: weight(500, 600, 1) };
        const model = dtype === 'F32' ? masters : await rounded(masters, dtype);
        for (const path of ['optimizer.safetensors', 'a.safetensors']) {
          const files: Upload = {
            'model.safetensors': { role: 'model', bytes: safetensors(model) },
            [path]: { role: 'optimizer', bytes: safetensors(prefixed(masters, 'master.')) },
          };
          const run = await harness.newFixedRun(config, {
            repositoryId,
            state: { ...exactState, master: 'weights' },
            layerTypes: { big: 'linear' },
          });
          const checkpoint = await harness.push(run, 0, files);
          const { model: back } = await expectWeights(checkpoint, dtype, ['big'], ['model.safetensors', path]);
          expect(sha256(back)).not.toBe(sha256(files['model.safetensors']!.bytes));
          expect(checkpoint.result!.storedBytes).toBeLessThan(0.45 * files['model.safetensors']!.bytes.length);
        }
      }
    },
  );

  test('are searched and measured as without them, and go on as deltas', async () => {
    const run = await harness.newRun({ state: { ...exactState, master: 'weights' } });
    for (const step of [0, 1]) {
      const files: Upload = {
        'model.safetensors': {
          role: 'model',
          bytes: safetensors({ ...tinyWeights(step), big: weight(50, 60, 1, step) }),
        },
        'optimizer.safetensors': {
          role: 'optimizer',
          bytes: safetensors(prefixed({ ...tinyWeights(step), big: weight(50, 60, 1, step) }, 'fp32.')),
        },
      };
      const checkpoint = await harness.push(run, step, files);
      expect(checkpoint.result!.fidelity).toBe('lossy');
      expect(checkpoint.result!.measured).toEqual(
        await harness.measure(await harness.download(checkpoint, 'model.safetensors')),
      );
    }
  });

  test('are found by the name of the parameter, by words of the run, or by their values', async () => {
    const masters = mastersAt();
    const [a, b, c] = [masters['a.weight']!, masters['b.weight']!, masters['c.weight']!];
    const optimizer = { 'a.weight': a, 'b.weight.wide': b, 'state.2.master_param': c };
    const files: Upload = {
      'model.safetensors': { role: 'model', bytes: safetensors(await rounded(masters, 'BF16')) },
      'optimizer.safetensors': { role: 'optimizer', bytes: safetensors(optimizer) },
    };
    const checkpoint = await harness.push(
      await giving({ state: { ...exactState, master: 'weights', names: { master: ['wide'] } } }),
      0,
      files,
    );
    const model = await harness.download(checkpoint, 'model.safetensors');
    const back = await harness.download(checkpoint, 'optimizer.safetensors');
    for (const [name, from] of [
      ['a.weight', 'a.weight'],
      ['b.weight', 'b.weight.wide'],
      ['c.weight', 'state.2.master_param'],
    ] as const)
      expect(
        Buffer.compare(
          tensorBytes(back, from),
          await harness.core.convert(Uint8Array.from(tensorBytes(model, name)), 'BF16', 'F32'),
        ),
        from,
      ).toBe(0);
  });

  test('stay exact, with a warning, if the weights are not rounded from them or have another shape', async () => {
    const masters = mastersAt();
    const other = Float32Array.from(floatsOf(safetensors(masters), 'b.weight'));
    // One element of the last ones, which no sample sees.
    other[other.length - 300] = other[other.length - 300]! * 1.01;
    const optimizer = {
      'master.a.weight': masters['a.weight']!,
      'master.b.weight': f32([60, 40], other),
      'master.c.weight': weight(50, 30, 8),
      'master.lost': weight(40, 50, 9),
    };
    const files: Upload = {
      'model.safetensors': { role: 'model', bytes: safetensors(await rounded(masters, 'BF16')) },
      'optimizer.safetensors': { role: 'optimizer', bytes: safetensors(optimizer) },
    };
    const checkpoint = await harness.push(await giving(), 0, files);
    const back = await harness.download(checkpoint, 'optimizer.safetensors');
    for (const name of ['master.b.weight', 'master.c.weight', 'master.lost'])
      expect(tensorBytes(back, name), name).toEqual(
        tensorBytes(Buffer.from(files['optimizer.safetensors']!.bytes), name),
      );
    expect(tensorBytes(back, 'master.a.weight')).not.toEqual(
      tensorBytes(Buffer.from(files['optimizer.safetensors']!.bytes), 'master.a.weight'),
    );
    expect(checkpoint.result!.warnings).toEqual(
      ['b.weight', 'c.weight', 'lost'].map(
        (name) => `master.${name} is no copy of the model's weights, so it is kept exact.`,
      ),
    );
  });

  test('of tied weights, and twice in a checkpoint, are those of one tensor', async () => {
    const tied = weight(100, 80, 5);
    const files: Upload = {
      'model.safetensors': { role: 'model', bytes: safetensors(await rounded({ embed: tied, head: tied }, 'BF16')) },
      'optimizer.safetensors': { role: 'optimizer', bytes: safetensors({ 'master.embed': tied, 'master.head': tied }) },
      'z.safetensors': { role: 'optimizer', bytes: safetensors({ 'main_param.head': tied }) },
    };
    const checkpoint = await harness.push(await giving(), 0, files);
    await expectWeights(checkpoint, 'BF16', ['embed', 'head']);
    expect(checkpoint.result!.storedBytes).toBeLessThan(15_000);
    const exact = await harness.push(
      await newExactRun({
        repositoryId: (await harness.catalog.repositories.create({ namespace: 'x', name: 'y', type: 'model' })).id,
      }),
      0,
      files,
    );
    await expectWhole(exact, files);
  });
});
