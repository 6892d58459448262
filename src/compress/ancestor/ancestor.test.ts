import { describe, expect, test } from 'vitest';
import type { LayerType } from '../../checkpoint/layer-type.ts';
import type { InshrinkeratorConfig } from '../../checkpoint/options/methods/inshrinkerator-config.ts';
import { loadCore } from '../../native/load-core.ts';
import { MemoryStore } from '../../package/memory-store.test-support.ts';
import { ancestorInMemory, encodeInMemory, prepareSource } from '../harness/encode-in-memory.test-support.ts';
import { codedAgainst, previousLevels } from '../method/codebook/level-block.ts';
import { levelBlocks } from '../method/codebook/level-blocks.ts';
import { planExact } from '../plan/plan-codings.ts';
import { f32, noise, type TestTensors } from '../harness/tiny-model.test-support.ts';

const core = loadCore();
const types = new Map<string, LayerType>(
  Object.entries({ embed: 'embedding', fc: 'linear', late: 'linear', conv: 'convolution', bias: 'linear' }),
);
const config: InshrinkeratorConfig = {
  method: 'inshrinkerator',
  bins: 8,
  embeddingBins: 16,
  pruneFraction: 0.3,
  pruneMetric: 'magnitude',
  protectFraction: 0.01,
};
const square = (seed: number, size = 32) => f32([size, size], noise(size * size, seed));
const weights: TestTensors = {
  embed: square(1),
  fc: square(2),
  conv: square(3),
  bias: { dtype: 'F16', shape: [64], data: new Uint16Array(64) },
};

/** `there`, stored as a base and matched to the blocks of `here`. */
async function seen(there: TestTensors, here: TestTensors, under: InshrinkeratorConfig | 'exact' = config) {
  const store = new MemoryStore();
  const [base, later] = [await prepareSource(there, types), await prepareSource(here, types)];
  const stored = under === 'exact' ? { ...base, plan: planExact(base.source.files, types) } : base;
  const ancestor = await ancestorInMemory(
    store,
    'a',
    (await encodeInMemory(store, 'a', stored, under === 'exact' ? undefined : under)).written,
    later,
  );
  return { ancestor, base, later, store };
}

describe('matching', () => {
  test('gives each block the levels of its counterpart', async () => {
    const { ancestor, base, later } = await seen(weights, weights);
    const groups = await base.quantizer.build(config);
    for (const at of levelBlocks(later.plan)) {
      const { levels } = await core.assignLevels(
        base.quantizer.usable(await base.source.readWeights(at.file, at.block)),
        groups[at.group]!.partition,
        groups[at.group]!.map,
      );
      expect(await previousLevels(ancestor, at)).toEqual(levels);
      expect(await ancestor.exactBytes(at.file, at.index)).toBeUndefined();
    }
    expect(ancestor.coverage()).toBe(1);
    expect(ancestor.chainLength).toBe(1);
  });

  test('a new tensor is coded alone, and so are the tensors of its block', async () => {
    const { ancestor, later } = await seen(weights, { ...weights, late: square(9) });
    const matched = await Promise.all(
      [...levelBlocks(later.plan)].map(async ({ file, index, group }) => [
        later.plan.groups[group]!.layerType,
        (await previousLevels(ancestor, { file, index })) !== undefined,
      ]),
    );
    expect(Object.fromEntries(matched)).toEqual({ embedding: true, linear: false, convolution: true });
    expect(ancestor.coverage()).toBe(0.5);
  });

  test('other shapes, other names: nothing in common', async () => {
    const { ancestor } = await seen(weights, { other: square(1), embed: square(2, 40) });
    expect(ancestor.coverage()).toBe(0);
  });

  test('a checkpoint stored exact is no ancestor for quantized blocks, though its biases match', async () => {
    const { ancestor, later } = await seen(weights, weights, 'exact');
    const biases = later.plan.files[0]!.blocks.findIndex((block) => block.coding.kind === 'exact');
    expect(await ancestor.exactBytes(0, biases)).toBeDefined();
    expect(ancestor.coverage()).toBe(0);
  });

  test('for a checkpoint that is exact itself, it is one', async () => {
    const store = new MemoryStore();
    const prepared = await prepareSource(weights, types);
    const exact = { ...prepared, plan: planExact(prepared.source.files, types) };
    const ancestor = await ancestorInMemory(
      store,
      'a',
      (await encodeInMemory(store, 'a', exact, undefined)).written,
      exact,
    );
    expect(ancestor.coverage()).toBe(1);
    expect(Buffer.from((await ancestor.exactBytes(0, 0))!)).toEqual(
      Buffer.from(await exact.source.readBlock(0, exact.plan.files[0]!.blocks[0]!)),
    );
  });
});

describe('when the number of bins changes', () => {
  test.each([
    [8, 32, 34],
    [32, 4, 34],
    [8, 8, 10],
  ])('from %i to %i the modulus is the larger level count: %i', async (before, after, modulus) => {
    const { ancestor, later } = await seen(weights, weights, { ...config, bins: before });
    const groups = await later.quantizer.build({ ...config, bins: after });
    const linear = [...levelBlocks(later.plan)].find(({ group }) => later.plan.groups[group]!.layerType === 'linear')!;
    const block = await codedAgainst({ ...later, groups, core }, ancestor, linear);
    expect(block.modulus).toBe(modulus);
    expect(block.previous).toBeDefined();
  });

  test('a block without a counterpart keeps its own level count', async () => {
    const { ancestor, later } = await seen(weights, { ...weights, late: square(9) }, { ...config, bins: 200 });
    const groups = await later.quantizer.build(config);
    const linear = [...levelBlocks(later.plan)].find(({ group }) => later.plan.groups[group]!.layerType === 'linear')!;
    expect(await codedAgainst({ ...later, groups, core }, ancestor, linear)).toEqual({
      map: groups[linear.group]!.map,
      modulus: 10,
    });
  });
});
