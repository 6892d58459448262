import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { Run } from '../catalog/contract/run-records.ts';
import type { RoundingChoice } from '../checkpoint/options/methods/residual-search-options.ts';
import {
  openCompressHarness,
  tensorBytes,
  tinySearch,
  withGradients,
  type CompressHarness,
} from './harness/compress-harness.test-support.ts';
import { noise, tinyGradients, tinyWeights, type TestTensors } from './harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

const search = { ...tinySearch, method: 'residual' } as const;
const thresholds = { loss: 0.01 };
const matrices = ['embed.weight', 'fc.weight', 'head.weight'];

/** The change of a few optimizer steps: far less than a quantization step. */
function trainedOn(weights: TestTensors, seed: number): TestTensors {
  return Object.fromEntries(
    Object.entries(weights).map(([name, tensor], i) => {
      const moves = noise((tensor.data as Float32Array).length, 500 * seed + i);
      return [
        name,
        { ...tensor, data: Float32Array.from(tensor.data as Float32Array, (x, k) => x + 0.005 * moves[k]!) },
      ];
    }),
  );
}

async function rebuilt(checkpoint: Checkpoint): Promise<TestTensors> {
  const file = await harness.download(checkpoint, 'model.safetensors');
  return Object.fromEntries(
    Object.entries(tinyWeights(0)).map(([name, tensor]) => {
      const bytes = Uint8Array.from(tensorBytes(file, name));
      return [name, { ...tensor, data: new Float32Array(bytes.buffer) }];
    }),
  );
}

/** Share of the matrices' movement from `from` to `to` that `stored` has missed. */
function movementLost(from: TestTensors, to: TestTensors, stored: TestTensors): number {
  let along = 0;
  let squares = 0;
  for (const name of matrices) {
    const [a, b, c] = [from, to, stored].map((tensors) => tensors[name]!.data as Float32Array) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    a.forEach((x, k) => {
      along += (b[k]! - c[k]!) * (b[k]! - x);
      squares += (b[k]! - x) ** 2;
    });
  }
  return along / squares;
}

const push = (run: Run, step: number, weights: TestTensors): Promise<Checkpoint> =>
  harness.push(run, step, withGradients(weights, tinyGradients(step)));

describe('a run whose weights are rounded to the nearest step', () => {
  // The step is fine compared with the movement, so that the lost share is not noise. All deltas have room inside the
  // restore budget: a base loses nothing.
  const fixedConfig = { method: 'residual', step: -32 } as const;

  /** Mean lost share of the last movements of a random walk that continues from the uploads. */
  async function meanLost(rounding: RoundingChoice): Promise<number> {
    const run = await harness.newFixedRun(fixedConfig, { search: { ...search, fixedConfig, rounding } });
    let weights = tinyWeights(0);
    await push(run, 0, weights);
    const lost: number[] = [];
    for (let step = 1; step <= 8; step += 1) {
      const before = weights;
      weights = trainedOn(before, step);
      lost.push(movementLost(before, weights, await rebuilt(await push(run, step, weights))));
    }
    const last = lost.slice(-6);
    return last.reduce((sum, each) => sum + each) / last.length;
  }

  test('is rebuilt without the lag that a dead zone has', async () => {
    const [nearest, usual] = [await meanLost('nearest'), await meanLost('archive')];
    expect(nearest).toBeLessThan(usual - 0.5);
    expect(Math.abs(nearest)).toBeLessThan(0.3);
  });
});

describe('training resumed from a rebuilt checkpoint', () => {
  test('is detected, and training since then is not rounded away, at that and the next checkpoint', async () => {
    const run = await harness.newRun({ search, thresholds });
    const first = await push(run, 0, tinyWeights(0));
    const start = await rebuilt(first);
    const weights = trainedOn(start, 1);
    const second = await push(run, 1, weights);
    expect([first, second].map(({ result }) => result?.resumed)).toEqual([undefined, true]);
    expect(second.result?.kind).toBe('delta');
    expect(movementLost(start, weights, await rebuilt(second))).toBeLessThan(0.3);
    const further = trainedOn(weights, 2);
    const third = await push(run, 2, further);
    expect([third.result?.resumed, third.result?.kind]).toEqual([undefined, 'delta']);
    expect(Math.abs(movementLost(weights, further, await rebuilt(third)))).toBeLessThan(0.3);
    expect((await harness.catalog.trials.list(third.id)).every(({ configKey }) => configKey.endsWith('+nearest'))).toBe(
      true,
    );
    expect([first, second, third].map(({ result }) => result?.limits?.loss?.withoutProgress)).toEqual([
      undefined,
      0.01,
      0.01,
    ]);
    const why = expect.stringContaining('Training went on from rebuilt weights') as string;
    expect(first.result?.understood).not.toContainEqual(why);
    expect(second.result?.understood).toContainEqual(why);
  });

  test('is not detected if training continued from the upload, however little it moved', async () => {
    const run = await harness.newRun({ search, thresholds });
    const first = await push(run, 0, tinyWeights(0));
    const second = await push(run, 1, trainedOn(tinyWeights(0), 1));
    const third = await push(run, 2, trainedOn(tinyWeights(0), 1));
    expect(first.result?.roundingError).toBeGreaterThan(0.1);
    expect([second, third].map(({ result }) => [result?.kind, result?.resumed])).toEqual([
      ['delta', undefined],
      ['delta', undefined],
    ]);
  });
});
