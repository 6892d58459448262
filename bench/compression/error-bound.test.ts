import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCompressHarness, tinySearch, withGradients, type CompressHarness } from '../../src/compress/compress-harness.test-support.ts';
import { quantizedNames, tinyWeights, type TestTensors } from '../../src/compress/tiny-model.test-support.ts';
import { StoredSeries } from './stored-series.ts';
import { errorRatio, roundAfresh, weightedError } from './weighted-error.ts';

/** What the hub holds every tensor to, with room for its weights of elements being whole numbers. */
const ratioMax = 1.5 * 1.02;

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness();
});
afterAll(() => harness.close());

/** Nearly all small, and a few that decide: the largest 13 times their root mean square. */
function heavyTailed(step: number): TestTensors {
  return Object.fromEntries(
    quantizedNames.map((name, i) => {
      const weights = tinyWeights(0)[name]!;
      const gradients = new Float32Array((weights.data as Float32Array).length).fill(0.001);
      for (let k = 0; k < 21; k += 1) gradients[(97 * step + 13 * i + 23 * k) % gradients.length] = k === 0 ? 1 : k < 5 ? 0.5 : 0.25;
      return [name, { ...weights, data: gradients }];
    }),
  );
}

test.each([-8, 0, 8, 16, 24])('errors weighted by gradients of heavy tails stay below 1.5 times those of quantizing afresh: step %i', async (step) => {
  const fixedConfig = { method: 'residual', step } as const;
  const run = await harness.newFixedRun(fixedConfig, { search: { ...tinySearch, method: 'residual', fixedConfig } });
  const paths: string[] = [];
  for (let at = 0; at < 6; at += 1) {
    const checkpoint = await harness.push(run, at, withGradients(tinyWeights(at), heavyTailed(at)));
    paths.push(join(harness.directory, `bound-${step}-${at}.firn`));
    await writeFile(paths.at(-1)!, await harness.packageBytes(checkpoint));
  }
  const stored = await (await StoredSeries.open(harness.core, paths)).decode();
  const worst = stored.map(({ tensors }, at) =>
    errorRatio(
      tensors.flatMap(({ name, step: tensorStep, values }) => {
        const [raw, gradients] = [tinyWeights(at)[name]!.data as Float32Array, heavyTailed(at)[name]?.data as Float32Array | undefined];
        if (gradients === undefined) return [];
        return { name, error: weightedError(raw, values, gradients), fresh: weightedError(raw, roundAfresh(raw, tensorStep!), gradients) };
      }),
    ),
  );
  expect(worst.map(({ worst: ratio }) => ratio).filter((ratio) => !(ratio <= ratioMax))).toEqual([]);
});
