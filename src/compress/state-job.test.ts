import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint, Run } from '../catalog/catalog.ts';
import type { StateOptions } from '../checkpoint/state-options.ts';
import { floatsOf, openCompressHarness, sha256, tensorBytes, tinySearch, type CompressHarness, type Upload } from './compress-harness.test-support.ts';
import { f32, i64, noise, safetensors, tinyWeights, type TestTensors } from './tiny-model.test-support.ts';

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

/** Largest change of an element of Adam's next update, in units of the learning rate, that the stored moments make against those uploaded. */
function worstUpdateChange(file: Buffer, raw: Buffer, name: string): number {
  const [m, v, mRaw, vRaw] = [floatsOf(file, `m.${name}`), floatsOf(file, `v.${name}`), floatsOf(raw, `m.${name}`), floatsOf(raw, `v.${name}`)];
  let worst = 0;
  for (let i = 0; i < m.length; i++) worst = Math.max(worst, Math.abs(m[i]! / (Math.sqrt(v[i]!) + 1e-8) - mRaw[i]! / (Math.sqrt(vRaw[i]!) + 1e-8)));
  return worst;
}

describe('a run that keeps weights exact and bounds optimizer state', () => {
  let checkpoints: Checkpoint[];
  beforeAll(async () => {
    checkpoints = await pushed(await harness.newRun({ fidelity: 'exact', state: bounded }), [1, 2, 3]);
  });

  test('changes no byte of the weights and of what is no moment', async () => {
    for (const [i, checkpoint] of checkpoints.entries()) {
      expect(sha256(await harness.download(checkpoint, 'model.safetensors'))).toBe(sha256(safetensors(tinyWeights(i + 1))));
      expect(tensorBytes(await harness.download(checkpoint, path), 'step')).toEqual(tensorBytes(rawOf(i + 1), 'step'));
    }
  });

  test('stores moments in a tenth of their bytes, changes no next update by more than a third of the learning rate, and says it is lossy', async () => {
    for (const [i, checkpoint] of checkpoints.entries()) {
      const file = await harness.download(checkpoint, path);
      expect(sha256(file)).toBe((await harness.catalog.files.find(checkpoint.id, path))!.resultSha256);
      for (const name of ['big', 'small', 'bias']) expect(worstUpdateChange(file, rawOf(i + 1), name)).toBeLessThan(0.35);
      expect(checkpoint.result).toMatchObject({ fidelity: 'lossy', kind: i === 0 ? 'base' : 'delta' });
      expect(checkpoint.result!.storedBytes).toBeLessThan(rawOf(1).length / 10 + safetensors(tinyWeights(1)).length);
    }
  });

  test('codes second moments behind those of the checkpoint before, and what comes back does not depend on it', async () => {
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
    [...kept, ...(kept.some((name) => name.startsWith('m.') || name.startsWith('v.')) ? [kept[0].replace('big', 'small')] : []), 'step'].sort(),
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
  const odd = safetensors({ 'm.w': f32([2, 2], [1, Number.NaN, 0, 1]), 'v.w': f32([2, 2], [1, -1, Number.POSITIVE_INFINITY, 0]) });
  const run = await harness.newRun({ fidelity: 'exact', state: bounded });
  const checkpoint = await harness.push(run, 1, { ...upload(1), [path]: { role: 'optimizer', bytes: odd } });
  expect(sha256(await harness.download(checkpoint, path))).toBe(sha256(odd));
});
