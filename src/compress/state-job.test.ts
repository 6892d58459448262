import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import type { StateOptions } from '../checkpoint/options/state-options.ts';
import {
  floatsOf,
  openCompressHarness,
  sha256,
  tensorBytes,
  tinySearch,
  type CompressHarness,
  type Upload,
} from './harness/compress-harness.test-support.ts';
import {
  f32,
  i64,
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

const wide = [300, 500] as const;
const path = 'model.optim.safetensors';
const bounded: StateOptions = { firstMoment: 'bounded', secondMoment: 'bounded', momentum: 'bounded' };

/** Moments of two matrices, one of more than a block, and of a vector; a momentum, and a counter that is no moment. */
function moments(step: number): TestTensors {
  const tensors: Record<string, ReturnType<typeof f32>> = {};
  for (const [name, shape, seed] of [
    ['big', wide, 1],
    ['small', [20, 30], 2],
    ['bias', [48], 3],
  ] as const) {
    const count = shape.reduce((product, length) => product * length, 1);
    const [start, drift, signs] = [noise(count, seed), noise(count, 10 * step + seed), noise(count, 100 * step + seed)];
    const seconds = start.map((x, i) => 1e-8 * 2 ** (2 * x + (i % 7) + 0.3 * drift[i]!));
    tensors[`m.${name}`] = f32(
      shape,
      seconds.map((v, i) => 0.2 * signs[i]! * Math.sqrt(v)),
    );
    tensors[`v.${name}`] = f32(shape, seconds);
  }
  tensors['momentum.conv'] = f32([8, 4, 3], noise(96, step));
  return { ...tensors, step: i64([], [step]) };
}

const upload = (step: number): Upload => ({
  'model.safetensors': { role: 'model', bytes: safetensors(tinyWeights(step)) },
  [path]: { role: 'optimizer', bytes: safetensors(moments(step)) },
});
const rawOf = (step: number): Buffer => Buffer.from(upload(step)[path]!.bytes);

async function pushed(run: Run, steps: readonly number[]): Promise<Checkpoint[]> {
  const checkpoints: Checkpoint[] = [];
  for (const step of steps) checkpoints.push(await harness.push(run, step, upload(step)));
  return checkpoints;
}

/**
 * Largest change of an element of Adam's next update, in units of the learning rate, between the stored and the
 * uploaded moments.
 */
function worstUpdateChange(file: Buffer, raw: Buffer, name: string): number {
  return updateChange(file, raw, [`m.${name}`, `v.${name}`]).worst;
}

/**
 * The same for any two tensors, or for two files, and the largest change relative to the bound: a tenth of the learning
 * rate and a fifth of the update itself.
 */
function updateChange(
  file: Buffer | readonly [Buffer, Buffer],
  raw: Buffer | readonly [Buffer, Buffer],
  names: readonly [string, string],
): { readonly worst: number; readonly ofBound: number } {
  const read = (of: typeof file, i: 0 | 1): Float32Array => floatsOf(Buffer.isBuffer(of) ? of : of[i], names[i]);
  const [m, v, mRaw, vRaw] = [read(file, 0), read(file, 1), read(raw, 0), read(raw, 1)];
  let [worst, ofBound] = [0, 0];
  for (let i = 0; i < m.length; i++) {
    const update = mRaw[i]! / (Math.sqrt(vRaw[i]!) + 1e-8);
    const change = Math.abs(m[i]! / (Math.sqrt(v[i]!) + 1e-8) - update);
    worst = Math.max(worst, change);
    ofBound = Math.max(ofBound, change / (0.1 + 0.2 * Math.abs(update)));
  }
  return { worst, ofBound };
}

/** Moments with second moments that differ by octaves within a row. */
function pairOf(
  seed: number,
  shape: readonly [number, number] = [64, 64],
): { readonly m: TestTensor; readonly v: TestTensor } {
  const count = shape[0] * shape[1];
  const seconds = noise(count, seed).map((x, i) => 1e-8 * 2 ** (2 * x + 8 * Math.sin(i)));
  const firsts = noise(count, seed + 1).map((x, i) => 0.2 * x * Math.sqrt(seconds[i]!));
  return { m: f32(shape, firsts), v: f32(shape, seconds) };
}

describe('a run that keeps weights exact and bounds optimizer state', () => {
  let checkpoints: Checkpoint[];
  beforeAll(async () => {
    checkpoints = await pushed(await harness.newRun({ fidelity: 'exact', state: bounded }), [1, 2, 3]);
  });

  test('changes no byte of weights and of tensors that are no moments', async () => {
    for (const [i, checkpoint] of checkpoints.entries()) {
      expect(sha256(await harness.download(checkpoint, 'model.safetensors'))).toBe(
        sha256(safetensors(tinyWeights(i + 1))),
      );
      expect(tensorBytes(await harness.download(checkpoint, path), 'step')).toEqual(tensorBytes(rawOf(i + 1), 'step'));
    }
  });

  test('stores moments in a tenth of their bytes and says that they are lossy', async () => {
    for (const [i, checkpoint] of checkpoints.entries()) {
      const file = await harness.download(checkpoint, path);
      expect(sha256(file)).toBe((await harness.catalog.files.find(checkpoint.id, path))!.resultSha256);
      for (const name of ['big', 'small', 'bias'])
        expect(worstUpdateChange(file, rawOf(i + 1), name)).toBeLessThan(0.35);
      expect(checkpoint.result).toMatchObject({ fidelity: 'lossy', kind: i === 0 ? 'base' : 'delta' });
      expect(checkpoint.result!.storedBytes).toBeLessThan(rawOf(1).length / 10 + safetensors(tinyWeights(1)).length);
    }
  });

  test('codes second moments against those of the previous checkpoint without changing decoded values', async () => {
    const alone = await harness.push(await harness.newRun({ fidelity: 'exact', state: bounded }), 3, upload(3));
    expect(sha256(await harness.download(alone, path))).toBe(sha256(await harness.download(checkpoints[2]!, path)));
    expect(checkpoints[2]!.result!.storedBytes).toBeLessThan(alone.result!.storedBytes);
  });
});

test.each([
  ['first moments exact', { ...bounded, firstMoment: 'exact' }, ['m.big', 'm.bias']],
  ['second moments exact', { ...bounded, secondMoment: 'exact' }, ['v.big', 'v.bias']],
  ['momentum exact', { ...bounded, momentum: 'exact' }, ['momentum.conv']],
] as const)('a run may keep %s and bound the rest', async (_, state, kept) => {
  const checkpoint = await harness.push(await harness.newRun({ fidelity: 'exact', state }), 1, upload(1));
  const file = await harness.download(checkpoint, path);
  const same = Object.keys(moments(1)).filter((name) => tensorBytes(file, name).equals(tensorBytes(rawOf(1), name)));
  expect(same.sort()).toEqual(
    [
      ...kept,
      ...(kept.some((name) => name.startsWith('m.') || name.startsWith('v.')) ? [kept[0].replace('big', 'small')] : []),
      'step',
    ].sort(),
  );
});

test('a run may quantize weights and state together', async () => {
  const run = await harness.newRun({ state: bounded, search: { ...tinySearch, method: 'residual' } });
  const [first, second] = await pushed(run, [1, 2]);
  for (const [checkpoint, step] of [
    [first!, 1],
    [second!, 2],
  ] as const) {
    expect(checkpoint.result).toMatchObject({ fidelity: 'lossy', config: { method: 'residual' } });
    expect(worstUpdateChange(await harness.download(checkpoint, path), rawOf(step), 'big')).toBeLessThan(0.35);
  }
});

test('BitSnap takes twelve bits an element of both moments', async () => {
  const state: StateOptions = { firstMoment: 'bitsnap', secondMoment: 'bitsnap', momentum: 'bitsnap' };
  const checkpoint = await harness.push(await harness.newRun({ fidelity: 'exact', state }), 1, upload(1));
  const elements = rawOf(1).length / 4;
  expect(checkpoint.result!.storedBytes / elements).toBeGreaterThan(1.5);
  expect(checkpoint.result!.storedBytes / elements).toBeLessThan(1.6);
});

test('without options for it, and for moments that are no numbers, not a byte differs', async () => {
  const exact = await harness.push(await harness.newRun({ fidelity: 'exact' }), 1, upload(1));
  expect(exact.result).toMatchObject({ fidelity: 'exact' });
  expect(sha256(await harness.download(exact, path))).toBe(sha256(rawOf(1)));
  const odd = safetensors({
    'm.w': f32([2, 2], [1, Number.NaN, 0, 1]),
    'v.w': f32([2, 2], [1, -1, Number.POSITIVE_INFINITY, 0]),
  });
  const run = await harness.newRun({ fidelity: 'exact', state: bounded });
  const checkpoint = await harness.push(run, 1, { ...upload(1), [path]: { role: 'optimizer', bytes: odd } });
  expect(sha256(await harness.download(checkpoint, path))).toBe(sha256(odd));
  expect(checkpoint.result!.warnings).toContainEqual(
    expect.stringMatching(/exact where an element has no place: .* \(tensors: 2\): "m.w", "v.w"\./),
  );
});

test('steps and options of an optimizer are no moments, whatever parameter they are of', async () => {
  const scalar = (value: number): TestTensor => f32([], [value]);
  const bytes = safetensors({
    'param_groups.fc.weight.momentum': scalar(0.9),
    'step.fc.momentum': scalar(1000),
    'v.0.weight.step': scalar(100),
    'step.h.0.attn.v': f32([1], [50_000]),
    'momentum.fc.weight': f32([64, 64], noise(64 * 64, 4)),
  });
  const state: StateOptions = { firstMoment: 'bounded', secondMoment: 'bounded', momentum: 'bounded' };
  const checkpoint = await harness.push(await harness.newRun({ fidelity: 'exact', state }), 1, {
    ...upload(1),
    [path]: { role: 'optimizer', bytes },
  });
  const back = await harness.download(checkpoint, path);
  for (const name of ['param_groups.fc.weight.momentum', 'step.fc.momentum', 'v.0.weight.step', 'step.h.0.attn.v']) {
    expect(tensorBytes(back, name)).toEqual(tensorBytes(bytes, name));
  }
  expect(tensorBytes(back, 'momentum.fc.weight')).not.toEqual(tensorBytes(bytes, 'momentum.fc.weight'));
});

describe('bounded moments, whatever they are called and wherever they are,', () => {
  const adam: StateOptions = { ...bounded, momentum: 'exact' };
  async function stored(files: Readonly<Record<string, TestTensors>>, state: StateOptions = adam) {
    const uploaded: Upload = Object.fromEntries(
      Object.entries(files).map(([file, tensors]) => [file, { role: 'optimizer', bytes: safetensors(tensors) }]),
    );
    const checkpoint = await harness.push(
      await harness.newRun({ fidelity: 'exact', thresholds: {}, state }),
      1,
      uploaded,
    );
    const back = await Promise.all(Object.keys(files).map((file) => harness.download(checkpoint, file)));
    return {
      back,
      raw: Object.values(uploaded).map(({ bytes }) => Buffer.from(bytes)),
      warnings: checkpoint.result!.warnings,
    };
  }

  test.each(['m.0.weight', 'v.0.weight', 'momentum.weight', 'encoder.momentum.weight', 'exp.weight'])(
    'of the parameter %s keep the bound',
    async (name) => {
      const { m, v } = pairOf(1);
      const { back, raw, warnings } = await stored({ [path]: { [`${name}.exp_avg`]: m, [`${name}.exp_avg_sq`]: v } });
      expect(updateChange(back[0]!, raw[0]!, [`${name}.exp_avg`, `${name}.exp_avg_sq`]).ofBound).toBeLessThan(1);
      expect(floatsOf(back[0]!, `${name}.exp_avg_sq`)).not.toContain(0);
      expect(sha256(back[0]!)).not.toBe(sha256(raw[0]!));
      expect(warnings).toEqual([]);
    },
  );

  test('keep it by patterns of the run', async () => {
    const { m, v } = pairOf(3);
    const names = { firstMoment: ['m_*', 'exp_avg/*'], secondMoment: ['v_*', 'exp_avg_sq/*'] };
    const { back, raw, warnings } = await stored(
      { [path]: { m_w: m, v_w: v, 'exp_avg/w': m, 'exp_avg_sq/w': v } },
      { ...adam, names },
    );
    for (const pair of [['m_w', 'v_w'] as const, ['exp_avg/w', 'exp_avg_sq/w'] as const]) {
      expect(updateChange(back[0]!, raw[0]!, pair).ofBound).toBeLessThan(1);
      for (const name of pair) expect(tensorBytes(back[0]!, name)).not.toEqual(tensorBytes(raw[0]!, name));
    }
    expect(warnings).toEqual([]);
  });

  test('keep first moments without usable second moments exact, with a warning', async () => {
    const { m, v } = pairOf(5);
    const apart = await stored({ 'a.safetensors': { 'exp_avg.w': m }, 'b.safetensors': { 'exp_avg_sq.w': v } });
    const names = ['exp_avg.w', 'exp_avg_sq.w'] as const;
    expect(updateChange([apart.back[0]!, apart.back[1]!], [apart.raw[0]!, apart.raw[1]!], names).ofBound).toBeLessThan(
      1,
    );
    expect(sha256(apart.back[0]!)).toBe(sha256(apart.raw[0]!));
    expect(apart.warnings).toEqual([
      'First moments cannot be bounded and are kept exact, because their second moments are in another ' +
        'file (tensors: 1): "exp_avg.w".',
    ]);
    const flat = await stored({ [path]: { 'exp_avg.w': m, 'exp_avg_sq.w': { ...v, shape: [64 * 64] } } });
    expect(updateChange(flat.back[0]!, flat.raw[0]!, names).ofBound).toBeLessThan(1);
    expect(flat.warnings).toEqual([expect.stringContaining('another shape')]);
  });

  test('stay within it after one gradient that follows a long silence', async () => {
    const gradients = noise(512 * 64, 5);
    const [m, v] = [
      f32(
        [512, 64],
        gradients.map((x) => 1e-3 * x),
      ),
      f32(
        [512, 64],
        gradients.map((x) => 1e-7 * x * x),
      ),
    ];
    const { back, raw } = await stored({ [path]: { 'm.embed': m, 'v.embed': v } });
    const { worst, ofBound } = updateChange(back[0]!, raw[0]!, ['m.embed', 'v.embed']);
    expect(ofBound).toBeLessThan(1);
    expect(worst).toBeGreaterThan(0.6);
    expect(worst).toBeLessThan(0.7);
  });

  test('and an ancestor that bounds them does not keep the next checkpoint from being exact', async () => {
    const { m, v } = pairOf(7, [300, 500]);
    const run = await harness.newRun({ fidelity: 'exact', thresholds: {}, state: adam });
    const together: Upload = { [path]: { role: 'optimizer', bytes: safetensors({ 'm.w': m, 'v.w': v }) } };
    const ambiguous: Upload = {
      [path]: { role: 'optimizer', bytes: safetensors({ 'm.w': m, 'v.w': v, 'w.exp_avg_sq': v }) },
    };
    for (const [step, upload] of [together, ambiguous, together].entries()) {
      const checkpoint = await harness.push(run, step, upload);
      const back = await harness.download(checkpoint, path);
      const raw = Buffer.from(upload[path]!.bytes);
      expect(updateChange(back, raw, ['m.w', 'v.w']).ofBound).toBeLessThan(1);
      expect(tensorBytes(back, 'm.w').equals(tensorBytes(raw, 'm.w'))).toBe(step === 1);
      expect(checkpoint.result!.warnings).toEqual(step === 1 ? [expect.stringContaining('several tensors')] : []);
    }
  });
});
