import { expect, test, vi } from 'vitest';
import type { LayerType } from '../../../checkpoint/layer-type.ts';
import { loadCore } from '../../../native/load-core.ts';
import { memorySource } from '../../harness/memory-source.test-support.ts';
import { SymbolCache } from './lattice/symbol-cache.ts';
import { planCodings } from '../../plan/plan-codings.ts';
import { residualMethod } from './residual-method.ts';
import type { ResidualModel } from './residual-model.ts';
import { residualQuantization } from './residual-quantization.ts';
import { sampleElementsMax } from '../../plan/sample-blocks.ts';
import { f32, noise, type TestTensors } from '../../harness/tiny-model.test-support.ts';

const core = loadCore();
const config = { method: 'residual', step: -32 } as const;

async function quantizationOf(tensors: TestTensors, parallel: number, weightErrorMax?: number) {
  const source = memorySource(core, tensors);
  const types = new Map<string, LayerType>(Object.keys(tensors).map((name) => [name, 'linear']));
  const plan = await planCodings(source, types, { parallel, codingOf: residualMethod.codingOf });
  const symbolCache = new SymbolCache(0);
  return residualQuantization({
    source,
    plan,
    ancestor: undefined,
    core,
    last: undefined,
    warn: () => undefined,
    symbolCache,
    rounding: 'archive',
    weightErrorMax,
    parallel,
  });
}

test('a rough estimate of a large model is near its actual size, for any number of concurrent blocks', async () => {
  const rows = Math.ceil((2.5 * sampleElementsMax) / 4096);
  const weights = noise(rows * 4096, 7);
  // Some rows are much smaller than others, as those of rare tokens are.
  for (let i = 0; i < weights.length; i += 1) weights[i]! *= Math.floor(i / 4096) % 3 === 0 ? 0.2 : 1;
  const tensors = { 'fc.weight': f32([rows, 4096], weights) };
  const one = await quantizationOf(tensors, 1);
  const rough = await one.roughBytes!(config, { parallel: 1 });
  const { bytes } = (await one.quantize(config)) as unknown as { readonly bytes: number };
  expect(Math.abs(rough / bytes - 1)).toBeLessThan(0.03);
  expect(rough).not.toBe(bytes);
  expect(await (await quantizationOf(tensors, 4)).roughBytes!(config, { parallel: 4 })).toBe(rough);
});

test('a rough estimate of a small model equals its actual size', async () => {
  const quantization = await quantizationOf(
    { 'fc.weight': f32([400, 400], noise(160_000, 2)), 'fc.bias': f32([400], noise(400, 3)) },
    2,
  );
  expect(await quantization.roughBytes!(config, { parallel: 2 })).toBe(
    await quantization.estimateBytes(config, { parallel: 2 }),
  );
});

test('under a bound on weights the rounding error is known from the last pass: nothing is rounded for it', async () => {
  const tensors = { 'fc.weight': f32([400, 400], noise(160_000, 2)), 'fc.bias': f32([400], noise(400, 3)) };
  const round = vi.spyOn(core, 'residualQuantize');
  const errorOf = async (weightErrorMax?: number) => {
    const model = (await (await quantizationOf(tensors, 2, weightErrorMax)).quantize(config)) as ResidualModel;
    round.mockClear();
    return { error: await model.roundingError({ parallel: 2 }), rounded: round.mock.calls.length };
  };
  const [known, again] = [await errorOf(100), await errorOf()];
  round.mockRestore();
  expect(known).toEqual({ error: again.error, rounded: 0 });
  expect(again.error).toBeGreaterThan(0);
  expect(again.rounded).toBeGreaterThan(0);
});
