import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../../catalog/contract/run-records.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { residualStepMin } from '../../../checkpoint/options/methods/residual-config.ts';
import { withinThreshold } from '../../../checkpoint/quality/quality.ts';
import type { Evaluator } from '../../../evaluate/evaluator.ts';
import {
  modelOf,
  openCompressHarness,
  sha256,
  tensorBytes,
  tinySearch,
  withGradients,
  type CompressHarness,
} from '../../harness/compress-harness.test-support.ts';
import {
  f32,
  noise,
  safetensors,
  tinyGradients,
  tinyWeights,
  type TestTensors,
} from '../../harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

const search = { ...tinySearch, method: 'residual' } as const;

describe('a searched run of the residual method', () => {
  const steps = [0, 1, 2, 3];
  let run: Run;
  const pushed: Checkpoint[] = [];
  beforeAll(async () => {
    run = await harness.newRun({ search });
    for (const step of steps)
      pushed.push(await harness.push(run, step, withGradients(tinyWeights(step), tinyGradients(step))));
  });

  test('becomes a base and deltas, vectors quantized with the rest', async () => {
    expect(pushed.map(({ state, result }) => [state, result?.fidelity, result?.kind])).toEqual(
      steps.map((step) => ['ready', 'lossy', step === 0 ? 'base' : 'delta']),
    );
    expect(pushed.every(({ result }, step) => result!.chainLength <= step + 1)).toBe(true);
    const file = await harness.download(pushed[3]!, 'model.safetensors');
    expect(tensorBytes(file, 'fc.bias')).not.toEqual(tensorBytes(safetensors(tinyWeights(3)), 'fc.bias'));
  });

  test('comes back with the recorded digest and inside the threshold when measured again', async () => {
    for (const checkpoint of pushed) {
      const file = await harness.download(checkpoint, 'model.safetensors');
      expect(sha256(file)).toBe((await harness.catalog.files.find(checkpoint.id, 'model.safetensors'))!.resultSha256);
      expect(await harness.measure(file)).toEqual(checkpoint.result!.measured);
      expect(withinThreshold(checkpoint.result!.degradation!['loss']!, 0.05)).toBe(true);
    }
  });

  test('takes fewer bytes than the method of the paper on the same checkpoints, in fewer trials', async () => {
    const paper = await harness.newRun();
    const others = [];
    for (const step of steps)
      others.push(await harness.push(paper, step, withGradients(tinyWeights(step), tinyGradients(step))));
    const total = (checkpoints: readonly Checkpoint[], field: 'storedBytes' | 'trialCount') =>
      checkpoints.reduce((sum, { result }) => sum + result![field], 0);
    expect(total(pushed, 'storedBytes')).toBeLessThan(0.75 * total(others, 'storedBytes'));
    expect(total(pushed.slice(1), 'trialCount')).toBeLessThanOrEqual(4 * 3);
  });

  test('trials against another ancestor are not taken for one’s own', async () => {
    const [, second] = pushed;
    const trials = await harness.catalog.trials.list(second!.id);
    expect(trials.every(({ configKey }) => configKey.endsWith(`@${pushed[0]!.packageId}+feedback`))).toBe(true);
  });
});

/** The tiny model with additional tensors that are hard for a lattice. */
function oddWeights(step: number): TestTensors {
  const moved = (values: Float32Array, by: number): Float32Array =>
    values.map((value, i) => (i % 5 === step % 5 ? value + by : value));
  const outliers = noise(600, 5);
  outliers[7] = 900;
  return {
    ...tinyWeights(step),
    'layer.0.norm.weight': f32([48], moved(new Float32Array(48).fill(1), 0.01)),
    'layer.0.norm.bias': f32([48], new Float32Array(48)),
    'wide.weight': f32([200, 800], moved(noise(200 * 800, 77), 0.3)),
    'outliers.weight': f32([20, 30], moved(outliers, 0.2)),
    'zeros.weight': f32([20, 30], new Float32Array(600)),
    'one.weight': f32([1], [3 + step]),
    'empty.weight': f32([0, 4], []),
    'diverged.weight': f32([20, 30], noise(600, 6).fill(Number.NaN, 3, 5)),
  };
}

describe('a graph whose inputs cannot be measured', () => {
  test('costs bytes, which is said, and nothing else', async () => {
    const run = await harness.newRun({ search });
    const inputGrams = (): Promise<never> =>
      Promise.reject(new FirnError('eval-memory', 'The evaluation took too much memory.'));
    const { evaluator } = harness;
    // An examination fails with them, too, and is made again without them.
    const examine: Evaluator['examine'] = (request, signal) =>
      request.grams === undefined ? evaluator.examine(request, signal) : inputGrams();
    const checkpoint = await harness.push(run, 0, withGradients(tinyWeights(0), tinyGradients(0)), {
      ctx: harness.context({ evaluator: { ...evaluator, examine, inputGrams } }),
    });
    expect(checkpoint.result).toMatchObject({ fidelity: 'lossy' });
    expect(checkpoint.result!.warnings.join()).toContain('The inputs of the matrices could not be measured');
    const file = await harness.download(checkpoint, 'model.safetensors');
    expect(await harness.measure(file)).toEqual(checkpoint.result!.measured);
  });
});

describe('a checkpoint of which the training job reported another figure', () => {
  test.each([
    ['is stored exact, and the inputs of its matrices are not measured', 9, 'exact', 0],
    ['measures them where it reported nothing', undefined, 'lossy', 1],
  ] as const)('%s', async (_, loss, fidelity, times) => {
    const run = await harness.newRun({ search });
    const inputGrams = vi.fn(harness.evaluator.inputGrams.bind(harness.evaluator));
    // As for a graph that needs a run of its own for them.
    const examine: Evaluator['examine'] = async (request, signal) => {
      const { grams: _, ...examination } = await harness.evaluator.examine(request, signal);
      return examination;
    };
    const ctx = harness.context({ evaluator: { ...harness.evaluator, examine, inputGrams } });
    const checkpoint = await harness.push(run, 0, modelOf(tinyWeights(0)), {
      ctx,
      ...(loss !== undefined && { expects: { loss } }),
    });
    expect(checkpoint.result).toMatchObject({ fidelity });
    expect(inputGrams).toHaveBeenCalledTimes(times);
  });
});

describe('a given step', () => {
  test('rebuilds constant, zero, single, empty and outlying tensors within half a step, and NaN exactly', async () => {
    const run = await harness.newFixedRun({ method: 'residual', step: -64 });
    for (const step of [0, 1, 2]) {
      const checkpoint = await harness.push(run, step, modelOf(oddWeights(step)));
      expect(checkpoint.state).toBe('ready');
      const file = await harness.download(checkpoint, 'model.safetensors');
      const uploaded = safetensors(oddWeights(step));
      expect(tensorBytes(file, 'diverged.weight')).toEqual(tensorBytes(uploaded, 'diverged.weight'));
      expect(checkpoint.result!.warnings.join()).toContain('diverged.weight');
      for (const name of ['zeros.weight', 'layer.0.norm.bias', 'empty.weight'])
        expect(tensorBytes(file, name)).toEqual(tensorBytes(uploaded, name));
      // A quarter of the standard deviation of all matrices, including the outlier; for the outlier itself, 1/1024 of
      // it, the resolution of the gain.
      const bounds = {
        'wide.weight': 1,
        'outliers.weight': 2,
        'fc.weight': 1,
        'layer.0.norm.weight': 0.01,
        'one.weight': 0.1,
      };
      for (const [name, bound] of Object.entries(bounds)) {
        const worst = largestDifference(tensorBytes(file, name), tensorBytes(uploaded, name));
        expect(worst, `${name} at ${step}`).toBeLessThan(bound);
      }
    }
  });

  test('a tensor that outgrows its units starts the chain anew', async () => {
    const run = await harness.newFixedRun({ method: 'residual', step: -64 });
    const at = (scale: number): TestTensors => ({
      'fc.weight': f32(
        [32, 32],
        noise(1024, 1).map((x) => x * scale),
      ),
    });
    expect((await harness.push(run, 0, modelOf(at(1e-6)))).result).toMatchObject({ kind: 'base' });
    const grown = await harness.push(run, 1, modelOf(at(1e3)));
    expect(grown.result).toMatchObject({ kind: 'base', fidelity: 'lossy' });
    const file = await harness.download(grown, 'model.safetensors');
    expect(
      largestDifference(tensorBytes(file, 'fc.weight'), tensorBytes(safetensors(at(1e3)), 'fc.weight')),
    ).toBeLessThan(500);
  });

  test('a weight that shrinks to nothing just as units get finer starts the chain anew', async () => {
    const run = await harness.newFixedRun({ method: 'residual', step: -128 });
    // Large gradients make units fine: the first weight is near the end of the lattice.
    const gradients = {
      'fc.weight': f32([8, 8], new Float32Array(64).fill(1e6)),
      'wide.weight': f32([64, 64], new Float32Array(4096).fill(0.01)),
    };
    const at = (first: number): TestTensors => ({
      'fc.weight': f32([8, 8], noise(64, 1).fill(first, 0, 1)),
      'wide.weight': f32([64, 64], noise(4096, 2)),
    });
    await harness.push(run, 0, withGradients(at(50), gradients));
    const shrunk = await harness.push(run, 1, withGradients(at(0.5), gradients));
    expect(shrunk).toMatchObject({ state: 'ready', result: { kind: 'base', fidelity: 'lossy' } });
    const file = await harness.download(shrunk, 'model.safetensors');
    expect(
      largestDifference(tensorBytes(file, 'fc.weight'), tensorBytes(safetensors(at(0.5)), 'fc.weight')),
    ).toBeLessThan(0.1);
  });

  test('a file that would grow is stored as uploaded, and the others build on their ancestor', async () => {
    const run = await harness.newFixedRun({ method: 'residual', step: residualStepMin });
    const files = async (step: number): Promise<Parameters<typeof harness.push>[2]> => {
      // Sixteen bits each, so that moves of many fine steps take more than the weights.
      const restless = await harness.core.convert(new Uint8Array(noise(4096, 10 + step).buffer), 'F32', 'F16');
      return {
        'a.safetensors': {
          role: 'model',
          bytes: safetensors({
            'a.weight': { dtype: 'F16', shape: [64, 64], data: restless },
            'a.bias': f32([4], [1, 2, 3, 4]),
          }),
        },
        'b.safetensors': {
          role: 'model',
          bytes: safetensors({
            'b.weight': f32([64, 64], noise(4096, 2)),
            'c.weight': f32([64, 64], noise(4096, 3 + step)),
            'c.bias': f32([64], noise(64, 4)),
            // Most of the model stays, so that a delta is worth its chain.
            'd.weight': f32([256, 256], noise(65536, 5)),
          }),
        },
      };
    };
    for (const step of [0, 1, 2]) {
      const checkpoint = await harness.push(run, step, await files(step));
      expect(checkpoint).toMatchObject({
        state: 'ready',
        result: { kind: step === 0 ? 'base' : 'delta', fidelity: 'lossy' },
      });
      expect(checkpoint.result!.warnings ?? []).toEqual([]);
      if (step > 0)
        expect(await harness.download(checkpoint, 'a.safetensors')).toEqual(
          (await files(step))['a.safetensors']!.bytes,
        );
    }
  });

  test.each(['F16', 'BF16'] as const)('comes back in %s', async (dtype) => {
    const run = await harness.newFixedRun({ method: 'residual', step: -96 });
    for (const step of [0, 1]) {
      const values = noise(2048, 3).map((x, i) => x + (i % 9 === 0 ? 0.1 * step : 0));
      const data = new Uint8Array(await harness.core.convert(new Uint8Array(values.buffer), 'F32', dtype));
      const checkpoint = await harness.push(run, step, modelOf({ 'fc.weight': { dtype, shape: [32, 64], data } }));
      const file = await harness.download(checkpoint, 'model.safetensors');
      const back = await harness.core.convert(Uint8Array.from(tensorBytes(file, 'fc.weight')), dtype, 'F32');
      expect(largestDifference(back, new Uint8Array(values.buffer))).toBeLessThan(0.2);
    }
  });
});

function largestDifference(a: Uint8Array, b: Uint8Array): number {
  const floats = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);
  const other = floats(b);
  return floats(a).reduce((largest, value, i) => Math.max(largest, Math.abs(value - other[i]!)), 0);
}
