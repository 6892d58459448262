import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import { withinThreshold } from '../../../checkpoint/quality/quality.ts';
import {
  floatsOf,
  modelOf,
  openCompressHarness,
  sha256,
  tinySearch,
  type CompressHarness,
} from '../../harness/compress-harness.test-support.ts';
import {
  f32,
  noise,
  quantizedNames,
  tinyWeights,
  type TestTensor,
  type TestTensors,
} from '../../harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  // Some models here guess badly.
  harness = await openCompressHarness({ allowDoubted: true });
});
afterAll(() => harness.close());

const search = { ...tinySearch, method: 'residual', rounding: 'nearest' } as const;
const model = 'model.safetensors';
/** Digits of a format version in a package's prefix. */
const versionOf = async (checkpoint: Checkpoint): Promise<number> => (await harness.packageBytes(checkpoint))[4]!;

async function exactBase(tensors: TestTensors): Promise<Checkpoint> {
  return harness.push(await harness.newRun({ fidelity: 'exact', thresholds: {} }), 0, modelOf(tensors));
}

/** Root mean square distance of a rebuilt file's weights. */
async function distance(checkpoint: Checkpoint, tensors: TestTensors): Promise<number> {
  const file = await harness.download(checkpoint, model);
  let [squares, count] = [0, 0];
  for (const name of quantizedNames)
    floatsOf(file, name).forEach((x, i) => {
      squares += (x - (tensors[name]!.data as Float32Array)[i]!) ** 2;
      count += 1;
    });
  return Math.sqrt(squares / count);
}

describe('a searched fine-tune of an exact base', () => {
  const pushed: Checkpoint[] = [];
  let base: Checkpoint;
  beforeAll(async () => {
    base = await exactBase(tinyWeights(0));
    const run = await harness.newRun({ search, parentCheckpointId: base.id });
    for (const step of [1, 2]) pushed.push(await harness.push(run, step, modelOf(tinyWeights(step))));
  });

  test('is a delta to it, inside the threshold, for fewer bytes than alone', async () => {
    expect(pushed.map(({ state, result }) => [state, result?.fidelity, result?.kind])).toEqual([
      ['ready', 'lossy', 'delta'],
      ['ready', 'lossy', 'delta'],
    ]);
    expect(await versionOf(pushed[0]!)).toBe(11);
    expect(pushed[0]!.result!.chainLength).toBe(2);
    const alone = await harness.push(await harness.newRun({ search }), 1, modelOf(tinyWeights(1)));
    expect(pushed[0]!.result!.storedBytes).toBeLessThan(alone.result!.storedBytes);
  });

  test('comes back with the recorded digest and metrics', async () => {
    for (const checkpoint of pushed) {
      const file = await harness.download(checkpoint, model);
      expect(sha256(file)).toBe((await harness.catalog.files.find(checkpoint.id, model))!.resultSha256);
      expect(await harness.measure(file)).toEqual(checkpoint.result!.measured);
      expect(withinThreshold(checkpoint.result!.degradation!['loss']!, 0.05)).toBe(true);
    }
  });

  test('has most of what was trained since, whatever the metric says', async () => {
    for (const [i, checkpoint] of pushed.entries())
      expect(await distance(checkpoint, tinyWeights(i + 1))).toBeLessThan(
        0.9 * (await distance(base, tinyWeights(i + 1))),
      );
  });

  test('is built on in the format of other lossy checkpoints', async () => {
    expect(await versionOf(pushed[1]!)).toBeLessThan(11);
    expect(pushed[1]!.result!.storedBytes).toBeLessThan(1.5 * pushed[0]!.result!.storedBytes);
  });
});

test('a model that has nothing but the shapes of its exact base is stored alone', async () => {
  const base = await exactBase(tinyWeights(0));
  const run = await harness.newRun({ search, parentCheckpointId: base.id, thresholds: { loss: 0.02 } });
  const { result } = await harness.push(run, 0, modelOf(tinyWeights(0, 5)));
  expect(result).toMatchObject({ fidelity: 'lossy', kind: 'base' });
});

describe('a fine-tune with a given config', () => {
  const config = { method: 'residual', step: -180 } as const;
  /** Enough weights that the index does not decide. With other seeds, so that no file is stored twice. */
  const weights = (seed: number, moved: number, { dtype = 'F32', names = same, rows = 80 }: Form = {}) =>
    Object.fromEntries(
      ['embed.weight', 'h.0.up.weight', 'h.1.up.weight'].map((name, i) => {
        const count = (i === 0 ? rows : 80) * 70;
        const values = noise(count, 10 * seed + i).map((x, at) => x + moved * Math.sin(at));
        return [names(name), tensorOf(dtype, [count / 70, 70], values)];
      }),
    );
  interface Form {
    readonly dtype?: 'F32' | 'BF16';
    readonly names?: (name: string) => string;
    readonly rows?: number;
  }
  const tensorOf = (dtype: 'F32' | 'BF16', shape: readonly number[], values: Float32Array): TestTensor =>
    dtype === 'F32' ? f32(shape, values) : { dtype, shape, data: Uint16Array.from(values, bf16) };
  const bf16 = (x: number): number => new Uint32Array(Float32Array.of(x).buffer)[0]! >>> 16;
  const same = (name: string): string => name;

  const forms: readonly (Form & { readonly title: string })[] = [
    { title: 'in F32' },
    { title: 'in BF16', dtype: 'BF16' },
    { title: 'with other names', names: (name) => `model.${name}` },
    { title: 'whose vocabulary grew', dtype: 'BF16', rows: 84 },
  ];
  test.each(forms.map((form, seed) => ({ ...form, seed })))('$title takes far fewer bytes than alone', async (form) => {
    const { dtype = 'F32', seed } = form;
    const base = await exactBase(weights(seed, 0, { dtype }));
    const tuned = modelOf(weights(seed, 0.02, form));
    const run = await harness.newFixedRun(config, { parentCheckpointId: base.id });
    const [against, alone] = [
      await harness.push(run, 0, tuned),
      await harness.push(await harness.newFixedRun(config), 0, tuned),
    ];
    expect([against.result!.kind, alone.result!.kind]).toEqual(['delta', 'base']);
    expect(against.result!.storedBytes).toBeLessThan(alone.result!.storedBytes / 2);
  });

  test('starts from weights of its base that no lattice has', async () => {
    const values = noise(80 * 70, 1);
    const odd = values.slice();
    odd.set([Infinity, -Infinity, NaN, 3e38, -3e38, 1e-42], 7);
    const base = await exactBase({
      'h.0.up.weight': f32([80, 70], odd),
      'h.1.up.weight': f32([80, 70], noise(5600, 2)),
    });
    const run = await harness.newFixedRun(config, { parentCheckpointId: base.id });
    const tuned = { 'h.0.up.weight': f32([80, 70], values), 'h.1.up.weight': f32([80, 70], noise(5600, 2)) };
    const checkpoint = await harness.push(run, 0, modelOf(tuned));
    expect(checkpoint.result).toMatchObject({ kind: 'delta' });
    const rebuilt = floatsOf(await harness.download(checkpoint, model), 'h.0.up.weight');
    rebuilt.forEach((x, i) => expect(Math.abs(x - values[i]!)).toBeLessThan(0.03));
  });

  test('behind an exact checkpoint that came between builds on the lossy one before', async () => {
    const base = await exactBase(weights(9, 0));
    const run = await harness.newFixedRun(config, { parentCheckpointId: base.id });
    const first = await harness.push(run, 0, modelOf(weights(9, 0.02)));
    const exact = await harness.push(
      await harness.newRun({ fidelity: 'exact', thresholds: {}, parentCheckpointId: first.id }),
      0,
      modelOf(weights(9, 0.03)),
    );
    const last = await harness.push(
      await harness.newFixedRun(config, { parentCheckpointId: exact.id }),
      0,
      modelOf(weights(9, 0.04)),
    );
    expect([first, last].map(({ result }) => result!.kind)).toEqual(['delta', 'delta']);
    expect((await harness.catalog.packages.get(last.packageId!))!.ancestorId).toBe(first.packageId);
  });
});
