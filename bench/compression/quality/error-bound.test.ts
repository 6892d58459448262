import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  openCompressHarness,
  tinySearch,
  withGradients,
  type CompressHarness,
} from '../../../src/compress/harness/compress-harness.test-support.ts';
import {
  f32,
  noise,
  quantizedNames,
  tinyWeights,
  type TestTensors,
} from '../../../src/compress/harness/tiny-model.test-support.ts';
import { StoredSeries } from '../series/stored-series.ts';
import { roundAfresh, weightedError } from './weighted-error.ts';

/** The hub's limit for every tensor, with a margin for rounding weights to units. */
const ratioMax = 1.5 * 1.001;

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

/** Nearly all weights are small, and a few decide: the largest is 13 times their root mean square. */
function heavyTailed(step: number): TestTensors {
  return Object.fromEntries(
    quantizedNames.map((name, i) => {
      const weights = tinyWeights(0)[name]!;
      const gradients = new Float32Array((weights.data as Float32Array).length).fill(0.001);
      for (let k = 0; k < 21; k += 1)
        gradients[(97 * step + 13 * i + 23 * k) % gradients.length] = k === 0 ? 1 : k < 5 ? 0.5 : 0.25;
      return [name, { ...weights, data: gradients }];
    }),
  );
}

/**
 * Weights of a drifting matrix of which one element has nearly all of the squared gradients: the largest is 60 times
 * the root mean square, the others a thousandth of it or zero.
 */
const singleGradients = (step: number, other: number): TestTensors => {
  const gradients = new Float32Array(4096).fill(other);
  gradients[(1009 * step) % 4096] = 1;
  return { ...firstGradients, 'b.weight': f32(matrix, gradients) };
};

/**
 * One matrix drifts. The other jumps once, to where its weights lie between half a step and the dead zone of its
 * lattice.
 */
const matrix = [64, 64];
const firstGradients = { 'a.weight': f32(matrix, noise(4096, 3)) };
const [start, drift, spread] = [noise(4096, 1), noise(4096, 2), noise(4096, 7)];
const drifting = (at: number): Float32Array => Float32Array.from(start, (x, i) => x + 0.05 * at * drift[i]!);
const jumping = (at: number): Float32Array =>
  Float32Array.from(spread, (x, i) => (at === 0 ? 0.3 * x : i % 2 === 0 ? 0.6 : -0.6));
const scalarNames = Array.from({ length: 40 }, (_, i) => `s${i}.bias`);

interface Model {
  readonly weights: (at: number) => TestTensors;
  readonly gradients: (at: number) => TestTensors;
}

const pair = (second: (at: number) => Float32Array) => (at: number) => ({
  'a.weight': f32(matrix, drifting(at)),
  'b.weight': f32(matrix, second(at)),
});

const models: Readonly<Record<string, Model>> = {
  'gradients of heavy tails': { weights: tinyWeights, gradients: heavyTailed },
  'one gradient 60 times the root mean square': {
    weights: pair(drifting),
    gradients: (at) => singleGradients(at, 0.001),
  },
  'one gradient that is not zero, another at every checkpoint': {
    weights: pair(drifting),
    gradients: (at) => singleGradients(at, 0),
  },
  'one tensor left out of the gradients': { weights: pair(jumping), gradients: () => firstGradients },
  'gradients of zero in one tensor': {
    weights: pair(jumping),
    gradients: () => ({ ...firstGradients, 'b.weight': f32(matrix, new Float32Array(4096)) }),
  },
  'a matrix that becomes zero': {
    weights: pair((at) => (at === 0 ? drifting(0) : new Float32Array(4096))),
    gradients: () => ({ ...firstGradients, 'b.weight': f32(matrix, noise(4096, 4)) }),
  },
  'tensors of one element': {
    weights: (at) => ({
      'a.weight': f32(matrix, drifting(at)),
      ...Object.fromEntries(
        scalarNames.map((name, i) => [name, f32([1], [noise(40, 5)[i]! + 0.05 * at * noise(40, 6 + at)[i]!])]),
      ),
    }),
    gradients: () => firstGradients,
  },
};

/** Every step with one price for all moves, and two steps with a price for each move. */
const cases = [
  ...[-64, -16, 0, 8, 16, 24].map((step) => [step, 'fixed'] as const),
  ...[-16, 16].map((step) => [step, 'priced'] as const),
];

describe.each(Object.entries(models))('%s', (label, { weights, gradients }) => {
  test.each(cases)(
    'leave no tensor with more than 1.5 times the weighted error of quantizing afresh: step %i, hysteresis %s',
    async (step, hysteresis) => {
      const fixedConfig = { method: 'residual', step } as const;
      const run = await harness.newFixedRun(fixedConfig, {
        search: { ...tinySearch, method: 'residual', hysteresis, fixedConfig },
      });
      const paths: string[] = [];
      for (let at = 0; at < 4; at += 1) {
        const checkpoint = await harness.push(run, at, withGradients(weights(at), gradients(at)));
        paths.push(join(harness.directory, `${label.replaceAll(' ', '-')}-${step}-${hysteresis}-${at}.firn`));
        await writeFile(paths.at(-1)!, await harness.packageBytes(checkpoint));
      }
      const stored = await (await StoredSeries.open(harness.core, paths)).decode();
      const beyond = stored.flatMap(({ tensors }, at) =>
        tensors.flatMap(({ name, step: tensorStep, values }) => {
          const raw = weights(at)[name]!.data as Float32Array;
          const own = gradients(at)[name]?.data as Float32Array | undefined;
          const [error, fresh] = [values, roundAfresh(raw, tensorStep!)].map((rebuilt) =>
            weightedError(raw, rebuilt, own),
          );
          // If quantizing afresh is exact, the remaining error must be next to nothing.
          const room = 1e-6 * weightedError(weights(0)[name]!.data as Float32Array, new Float32Array(raw.length), own);
          return error! <= ratioMax * fresh! + room ? [] : [`${name} at ${at}: ${error} to ${fresh}`];
        }),
      );
      expect(beyond).toEqual([]);
    },
  );
});
