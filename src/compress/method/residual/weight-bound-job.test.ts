import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  openCompressHarness,
  tensorBytes,
  tinySearch,
  withGradients,
  type CompressHarness,
} from '../../harness/compress-harness.test-support.ts';
import type { QuantizationMethod } from '../../../checkpoint/options/quantization-config.ts';
import { valuesOf } from '../../../native/reference.test-support.ts';
import { tinyGradients, tinyWeights, type TestTensors } from '../../harness/tiny-model.test-support.ts';

let harness: CompressHarness;
beforeAll(async () => {
  harness = await openCompressHarness({ allowDoubted: true });
});
afterAll(() => harness.close());

const bound = 0.2;

/** Root mean square error in standard deviations of the weights, by tensor; of tensors that do not vary, nothing. */
function weightErrors(uploaded: TestTensors, file: Buffer): Map<string, number> {
  const errors = new Map<string, number>();
  for (const [name, { data }] of Object.entries(uploaded)) {
    const weights = data as Float32Array;
    const rebuilt = valuesOf(tensorBytes(file, name), 'F32');
    const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
    const spread = weights.reduce((sum, weight) => sum + (weight - mean) ** 2, 0);
    const error = weights.reduce((sum, weight, at) => sum + (weight - rebuilt[at]!) ** 2, 0);
    if (spread > 0) errors.set(name, Math.sqrt(error / spread));
  }
  return errors;
}

async function worstOf(
  weightErrorMax: number | undefined,
  step: number | undefined,
  gradients: boolean,
  method: QuantizationMethod = 'residual',
) {
  const fixedConfig = step === undefined ? {} : { fixedConfig: { method: 'residual', step } as const };
  const run = await harness.newRun({
    thresholds: { loss: 0.5 },
    search: { ...tinySearch, method, ...fixedConfig, ...(weightErrorMax && { weightErrorMax }) },
  });
  let worst = 0;
  for (const at of [0, 1, 2]) {
    const weights = tinyWeights(at);
    const checkpoint = await harness.push(run, at, withGradients(weights, gradients ? tinyGradients(at) : {}));
    expect(checkpoint.result!.fidelity).toBe('lossy');
    const errors = weightErrors(weights, await harness.download(checkpoint, 'model.safetensors'));
    expect(errors.size).toBeGreaterThan(2);
    worst = Math.max(worst, ...errors.values());
  }
  return { worst };
}

test.each([true, false])(
  'a searched model has no tensor beyond the bound, which a loose threshold alone lets pass (gradients: %s)',
  async (gradients) => {
    expect((await worstOf(undefined, undefined, gradients)).worst).toBeGreaterThan(bound);
    expect((await worstOf(bound, undefined, gradients)).worst).toBeLessThanOrEqual(bound * (1 + 1e-4));
  },
);

test('a config of another method passes only inside the bound', async () => {
  const codebooksBound = 0.12;
  expect((await worstOf(undefined, undefined, true, 'inshrinkerator')).worst).toBeGreaterThan(codebooksBound);
  expect((await worstOf(codebooksBound, undefined, true, 'inshrinkerator')).worst).toBeLessThanOrEqual(codebooksBound);
});

test('a given config keeps to the bound, too, whatever its step', async () => {
  expect((await worstOf(undefined, 200, true)).worst).toBeGreaterThan(bound);
  expect((await worstOf(bound, 200, true)).worst).toBeLessThanOrEqual(bound * (1 + 1e-4));
});
