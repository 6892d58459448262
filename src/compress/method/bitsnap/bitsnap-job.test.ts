import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../../catalog/contract/run-records.ts';
import {
  floatsOf,
  openCompressHarness,
  sha256,
  tensorBytes,
  tinySearch,
  type CompressHarness,
  type Upload,
} from '../../harness/compress-harness.test-support.ts';
import {
  f32,
  i64,
  noise,
  safetensors,
  tinyWeights,
  type TestTensor,
  type TestTensors,
} from '../../harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

const model = 'model.safetensors';
const optimizer = 'model.optim.safetensors';
const wide = [400, 500] as const;
const wideCount = wide[0] * wide[1];

/** The upper halves of binary32 numbers. */
function bf16(shape: readonly number[], values: Float32Array): TestTensor {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return { dtype: 'BF16', shape, data: Uint16Array.from(bits, (word) => word >>> 16) };
}

let seed = 1;
beforeEach(() => {
  seed += 1000;
});

/**
 * About `share` of the weights differ from one step to the next; a matrix of two blocks, small ones, and a vector in
 * F32.
 */
function weightsAt(step: number, share = 0.1): TestTensors {
  // The repository would store equal bytes of another test as a reference, so each test has a seed of its own.
  const values = noise(wideCount, seed);
  for (let at = 1; at <= step; at++) {
    const moved = Math.floor(share * wideCount);
    const from = (at * 7919) % wideCount;
    for (let i = 0; i < moved; i++) values[(from + i) % wideCount]! *= 1.5;
  }
  const small = noise(600, 2).map((x) => x + (step === 0 ? 0 : 0.01 * step));
  return {
    'big.weight': bf16(wide, values),
    'small.weight': bf16([20, 30], small),
    'norm.weight': f32(
      [48],
      noise(48, 3).map((x) => x + step),
    ),
  };
}

function momentsAt(step: number): TestTensors {
  return {
    'm.big.weight': f32(
      wide,
      noise(wideCount, 10 + step).map((x) => 1e-4 * x),
    ),
    'v.big.weight': f32(
      wide,
      noise(wideCount, 20 + step).map((x) => 1e-8 * x * x),
    ),
    'master.big.weight': f32(wide, noise(wideCount, seed + 30 + step)),
    step: i64([], [step]),
  };
}

const modelOf = (tensors: TestTensors): Upload => ({ [model]: { role: 'model', bytes: safetensors(tensors) } });
const withOptimizer = (step: number, share?: number): Upload => ({
  ...modelOf(weightsAt(step, share)),
  [optimizer]: { role: 'optimizer', bytes: safetensors(momentsAt(step)) },
});

const bitsnapRun = (): Promise<Run> =>
  harness.newFixedRun({ method: 'bitsnap', baseEvery: 10 }, { search: { ...tinySearch, method: 'bitsnap' } });
const everyThree = (changes: Partial<Run> = {}): Promise<Run> =>
  harness.newFixedRun({ method: 'bitsnap', baseEvery: 3 }, changes);

const shapeOf = ({ result }: Checkpoint) => [result!.kind, result!.chainLength, result!.ancestorStep];

describe('bitsnap', () => {
  test('stores a base every N checkpoints and deltas to the last one, all of them bit by bit', async () => {
    const run = await everyThree();
    const checkpoints: Checkpoint[] = [];
    for (let step = 0; step < 5; step++) checkpoints.push(await harness.push(run, step, modelOf(weightsAt(step))));
    expect(checkpoints.map(shapeOf)).toEqual([
      ['base', 1, undefined],
      ['delta', 2, 0],
      ['delta', 2, 0],
      ['base', 1, undefined],
      ['delta', 2, 3],
    ]);
    for (const [step, checkpoint] of checkpoints.entries()) {
      expect(checkpoint.result).toMatchObject({
        fidelity: 'exact',
        config: { method: 'bitsnap', baseEvery: 3 },
        trialCount: 0,
        warnings: [],
      });
      expect(sha256(await harness.download(checkpoint, model))).toBe(sha256(safetensors(weightsAt(step))));
    }
    expect((await harness.packageBytes(checkpoints[1]!))[4]).toBe(8);
    expect(checkpoints[1]!.result!.migration).toBeCloseTo(0.1, 2);
    // A bit a weight and two bytes for each that changed, the vector and the index.
    const { storedBytes } = checkpoints[1]!.result!;
    expect(storedBytes).toBeGreaterThan(wideCount / 8 + 0.1 * 2 * wideCount);
    expect(storedBytes).toBeLessThan(wideCount / 8 + 0.1 * 2 * wideCount + 4096);
  });

  test('needs no eval set and no config: its own has a base every ten', async () => {
    const run = await bitsnapRun();
    const base = await harness.push(run, 0, modelOf(weightsAt(0)));
    expect(base.result).toMatchObject({
      fidelity: 'exact',
      kind: 'base',
      config: { method: 'bitsnap', baseEvery: 10 },
    });
    for (let step = 1; step < 10; step++)
      expect(shapeOf(await harness.push(run, step, modelOf(weightsAt(step, 0.01))))).toEqual(['delta', 2, 0]);
    expect(shapeOf(await harness.push(run, 10, modelOf(weightsAt(10, 0.01))))).toEqual(['base', 1, undefined]);
  });

  test('quantizes optimizer states and copies of the weights in clusters, and reports the result', async () => {
    const run = await everyThree();
    const [first, second] = [
      await harness.push(run, 0, withOptimizer(0)),
      await harness.push(run, 1, withOptimizer(1)),
    ];
    for (const [step, checkpoint] of [first, second].entries()) {
      expect(checkpoint.result).toMatchObject({ fidelity: 'lossy', config: { method: 'bitsnap' }, warnings: [] });
      expect(sha256(await harness.download(checkpoint, model))).toBe(sha256(safetensors(weightsAt(step))));
      const [file, raw] = [await harness.download(checkpoint, optimizer), Buffer.from(safetensors(momentsAt(step)))];
      expect(tensorBytes(file, 'step')).toEqual(tensorBytes(raw, 'step'));
      for (const name of ['m.big.weight', 'v.big.weight', 'master.big.weight']) {
        const [values, uploaded] = [floatsOf(file, name), floatsOf(raw, name)];
        const largest = uploaded.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
        const error = values.reduce((most, x, i) => Math.max(most, Math.abs(x - uploaded[i]!)), 0);
        // A cluster's 255 steps are never wider than the whole range.
        expect(error).toBeGreaterThan(0);
        expect(error).toBeLessThan((2 * largest) / 255);
      }
    }
    // Twelve bits an element of three states; of the weights a bit each and those that changed.
    const stored = second.result!.storedBytes - (wideCount / 8 + 0.2 * wideCount);
    expect(stored / (3 * wideCount)).toBeCloseTo(1.5, 1);
  });

  test('stores everything exact while most weights change, as in warm-up, with a warning', async () => {
    const run = await everyThree();
    await harness.push(run, 0, withOptimizer(0));
    const warm = await harness.push(run, 1, withOptimizer(1, 1));
    expect(warm.result).toMatchObject({
      fidelity: 'exact',
      kind: 'base',
      warnings: [expect.stringContaining('as in warm-up')],
    });
    expect(sha256(await harness.download(warm, optimizer))).toBe(sha256(safetensors(momentsAt(1))));
    expect(sha256(await harness.download(warm, model))).toBe(sha256(safetensors(weightsAt(1, 1))));
  });

  test('leaves optimizer state as a run says that says it', async () => {
    const run = await everyThree({ state: { firstMoment: 'exact', secondMoment: 'bitsnap', momentum: 'exact' } });
    const { result, ...checkpoint } = await harness.push(run, 0, withOptimizer(0));
    const [file, raw] = [
      await harness.download({ ...checkpoint, result } as Checkpoint, optimizer),
      Buffer.from(safetensors(momentsAt(0))),
    ];
    expect(floatsOf(file, 'm.big.weight')).toEqual(floatsOf(raw, 'm.big.weight'));
    expect(floatsOf(file, 'v.big.weight')).not.toEqual(floatsOf(raw, 'v.big.weight'));
  });

  test('goes on in a fork from the base that it starts from', async () => {
    const parentRun = await everyThree();
    await harness.push(parentRun, 0, modelOf(weightsAt(0)));
    const parent = await harness.push(parentRun, 1, modelOf(weightsAt(1)));
    const fork = await everyThree({ parentCheckpointId: parent.id });
    const child = await harness.push(fork, 2, modelOf(weightsAt(2)));
    expect(shapeOf(child)).toEqual(['delta', 2, 0]);
    expect(child.result!.ancestorRun).toBe(parentRun.name);
    expect(shapeOf(await harness.push(fork, 3, modelOf(weightsAt(3))))).toEqual(['base', 1, undefined]);
    expect(sha256(await harness.download(child, model))).toBe(sha256(safetensors(weightsAt(2))));
  });

  test('continues after a job was taken over', async () => {
    const run = await everyThree();
    await harness.push(run, 0, modelOf(weightsAt(0)));
    const { id } = await harness.queue(run, 1, modelOf(weightsAt(1)));
    const killed = new AbortController();
    const working = harness.work(harness.context(), killed.signal);
    killed.abort();
    await expect(working).rejects.toMatchObject({ name: expect.any(String) });
    await harness.work();
    const resumed = await harness.checkpoint(id);
    expect(shapeOf(resumed)).toEqual(['delta', 2, 0]);
    expect(sha256(await harness.download(resumed, model))).toBe(sha256(safetensors(weightsAt(1))));
  });

  test('stores models without 16-bit weights exact, with a warning, and in no more bytes than uploaded', async () => {
    const run = await bitsnapRun();
    const { result } = await harness.push(run, 0, modelOf(tinyWeights(0)));
    expect(result).toMatchObject({
      fidelity: 'exact',
      warnings: expect.arrayContaining([expect.stringContaining('no weights of 16 bits')]),
    });
    const random = new Uint16Array(70_000).map((_, i) => Math.imul(i + 1, 2654435761) >>> 16);
    const upload = modelOf({ 'w.weight': { dtype: 'F16', shape: [280, 250], data: random } });
    for (const step of [1, 2]) {
      const noisy = await harness.push(run, step, upload);
      expect(noisy.result!.storedBytes).toBeLessThanOrEqual(noisy.result!.rawBytes + 4096);
    }
  });
});
