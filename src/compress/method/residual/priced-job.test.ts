import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../../catalog/contract/run-records.ts';
import type { Hysteresis } from '../../../checkpoint/options/methods/residual-search-options.ts';
import { withinThreshold } from '../../../checkpoint/quality/quality.ts';
import {
  openCompressHarness,
  sha256,
  tinySearch,
  withGradients,
  type CompressHarness,
} from '../../harness/compress-harness.test-support.ts';
import { noise, tinyGradients, tinyWeights, type TestTensors } from '../../harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

const steps = [0, 1, 2, 3];

/** A random walk in which some weights move much faster than others, so that rates of moves differ between contexts. */
function walked(step: number): TestTensors {
  return Object.fromEntries(
    Object.entries(tinyWeights(0)).map(([name, tensor], i) => {
      const values = (tensor.data as Float32Array).slice();
      for (let at = 1; at <= step; at += 1) {
        const moves = noise(values.length, 100 * at + i);
        values.forEach((_, k) => (values[k]! += (k % 8 === 0 ? 0.06 : 0.006) * moves[k]!));
      }
      return [name, { ...tensor, data: values }];
    }),
  );
}

async function pushAll(run: Run): Promise<Checkpoint[]> {
  const pushed: Checkpoint[] = [];
  for (const step of steps)
    pushed.push(await harness.push(run, step, withGradients(walked(step), tinyGradients(step))));
  return pushed;
}

const rebuiltDigests = (checkpoints: readonly Checkpoint[]): Promise<string[]> =>
  Promise.all(checkpoints.map(async (checkpoint) => sha256(await harness.download(checkpoint, 'model.safetensors'))));

describe('a run whose moves are priced in bits', () => {
  const search = { ...tinySearch, method: 'residual', hysteresis: 'priced' } as const;
  let pushed: Checkpoint[];
  beforeAll(async () => {
    pushed = await pushAll(await harness.newRun({ search }));
  });

  test('comes back with the recorded digests and inside the threshold when measured again', async () => {
    expect(pushed.map(({ result }) => [result?.fidelity, result?.kind])).toEqual(
      steps.map((step) => ['lossy', step === 0 ? 'base' : 'delta']),
    );
    for (const checkpoint of pushed) {
      const file = await harness.download(checkpoint, 'model.safetensors');
      expect(sha256(file)).toBe((await harness.catalog.files.find(checkpoint.id, 'model.safetensors'))!.resultSha256);
      expect(await harness.measure(file)).toEqual(checkpoint.result!.measured);
      expect(withinThreshold(checkpoint.result!.degradation!['loss']!, 0.05)).toBe(true);
    }
  });

  test('records its trials separately from those with one price for all, for deltas and bases', async () => {
    for (const { id } of pushed) {
      const trials = await harness.catalog.trials.list(id);
      expect(trials.length).toBeGreaterThan(0);
      expect(trials.every(({ configKey }) => configKey.endsWith('+priced'))).toBe(true);
    }
  });
});

describe('a given step', () => {
  const fixedConfig = { method: 'residual', step: -64 } as const;
  const digests = async (hysteresis: Hysteresis): Promise<string[]> =>
    rebuiltDigests(
      await pushAll(
        await harness.newFixedRun(fixedConfig, {
          search: { ...tinySearch, method: 'residual', hysteresis, fixedConfig },
        }),
      ),
    );

  test('has the same moves in a base, others in deltas, and the same ones each time', async () => {
    const [fixed, priced, again] = [await digests('fixed'), await digests('priced'), await digests('priced')];
    expect(priced[0]).toBe(fixed[0]);
    expect(priced.filter((digest, i) => digest !== fixed[i])).toHaveLength(3);
    expect(again).toEqual(priced);
  });
});
