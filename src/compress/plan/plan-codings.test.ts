import { expect, test } from 'vitest';
import type { LayerType } from '../../checkpoint/layer-type.ts';
import { loadCore } from '../../native/load-core.ts';
import { memorySource, sourceFile } from '../harness/memory-source.test-support.ts';
import { ModelSource } from '../upload/model-source.ts';
import { inshrinkeratorMethod } from '../method/codebook/inshrinkerator-method.ts';
import { levelBlocks } from '../method/codebook/level-blocks.ts';
import { planCodings, planExact, wouldBeQuantized } from './plan-codings.ts';
import { f32, i64, noise, safetensors, type TestTensor, type TestTensors } from '../harness/tiny-model.test-support.ts';

const core = loadCore();
const options = { parallel: 2 };
const bf16 = (shape: readonly number[], values: Float32Array): TestTensor => ({
  dtype: 'BF16',
  shape,
  data: Uint16Array.from(values, (x) => new Uint32Array(Float32Array.of(x).buffer)[0]! >>> 16),
});
const square = (seed: number) => f32([20, 20], noise(400, seed));

const tensors: TestTensors = {
  embed: square(1),
  a: square(2),
  b: bf16([20, 20], noise(400, 3)),
  conv: square(4),
  c: square(5),
  norm: square(6),
  bias: f32([400], noise(400, 7)),
  small: f32([5, 51], noise(255, 8)),
  count: i64([20, 20], Array(400).fill(1)),
  state: square(9),
};
const types = new Map<string, LayerType>(
  Object.entries({
    embed: 'embedding',
    a: 'linear',
    b: 'linear',
    conv: 'convolution',
    c: 'linear',
    norm: 'norm',
    bias: 'linear',
    small: 'linear',
    count: 'linear',
    state: 'buffer',
  }),
);

/** By tensor: its group as "layer type dtype", or "exact". */
async function codingsOf(source: ModelSource, keepExact?: ReadonlySet<string>) {
  const plan = await planCodings(source, types, {
    ...options,
    codingOf: inshrinkeratorMethod.codingOf,
    ...(keepExact && { keepExact }),
  });
  const named = plan.files.map((file, number) =>
    Object.fromEntries(
      file.codings.map((coding, tensor) => {
        const name = source.files[number]!.layout.tensors[tensor]!.name;
        return [
          name,
          coding.kind !== 'levels'
            ? coding.kind
            : `${plan.groups[coding.codebook]!.layerType} ${plan.groups[coding.codebook]!.dtype}`,
        ];
      }),
    ),
  );
  return { plan, named };
}

test('one group for each layer type and dtype; small, one-dimensional and integer layers are exact', async () => {
  const { plan, named } = await codingsOf(memorySource(core, tensors));
  expect(named).toEqual([
    {
      embed: 'embedding F32',
      a: 'linear F32',
      b: 'linear BF16',
      conv: 'convolution F32',
      c: 'linear F32',
      norm: 'exact',
      bias: 'exact',
      small: 'exact',
      count: 'exact',
      state: 'exact',
    },
  ]);
  expect(plan.groups).toHaveLength(4);
  expect(plan.nonFinite).toEqual([]);
  expect([...levelBlocks(plan)].reduce((sum, { block }) => sum + block.elementCount, 0)).toBe(5 * 400);
});

test('tensors with NaN or infinite weights are exact, and the others of their block are not', async () => {
  const spoiled = {
    ...tensors,
    c: f32([20, 20], noise(400, 5).with(399, -Infinity)),
    b: bf16([20, 20], noise(400, 3).with(0, Number.NaN)),
  };
  const { plan, named } = await codingsOf(memorySource(core, spoiled));
  expect(plan.nonFinite).toEqual(['b', 'c']);
  expect(named[0]).toMatchObject({ a: 'linear F32', b: 'exact', c: 'exact', embed: 'embedding F32' });
  // Its only member is exact, so the group does not exist.
  expect(plan.groups).toEqual([
    { layerType: 'embedding', dtype: 'F32' },
    { layerType: 'linear', dtype: 'F32' },
    { layerType: 'convolution', dtype: 'F32' },
  ]);
});

test("non-finite values in tensors that are exact anyway are nobody's business", async () => {
  expect(
    (await codingsOf(memorySource(core, { ...tensors, norm: f32([20, 20], noise(400, 6).with(1, Number.NaN)) }))).plan
      .nonFinite,
  ).toEqual([]);
});

test('only model files are quantized, whatever names others use', async () => {
  const files = [
    sourceFile('model.safetensors', safetensors({ a: tensors['a']! })),
    sourceFile('optim.safetensors', safetensors({ a: square(3), embed: square(4) }), 'optimizer'),
    sourceFile('notes.txt', Buffer.from('a'), 'other'),
  ];
  const { plan, named } = await codingsOf(new ModelSource(files, new Map(), core, 0));
  expect(named).toEqual([{ a: 'linear F32' }, { a: 'exact', embed: 'exact' }, { '': 'exact' }]);
  expect(plan.files[1]!.codings).toEqual([
    { kind: 'exact', layerType: 'buffer' },
    { kind: 'exact', layerType: 'buffer' },
  ]);
});

test('names listed as exact stay exact', async () => {
  expect((await codingsOf(memorySource(core, tensors), new Set(['a', 'norm']))).named[0]).toMatchObject({
    a: 'exact',
    c: 'linear F32',
  });
});

test('an exact plan has no groups and keeps the layer types', () => {
  const plan = planExact([sourceFile('model.safetensors', safetensors(tensors))], types);
  expect(plan.groups).toEqual([]);
  expect(plan.files[0]!.codings.map((coding) => coding.kind === 'exact' && coding.layerType)).toEqual([
    ...types.values(),
  ]);
});

test('wouldBeQuantized looks at layer, dtype and size of the model tensor', () => {
  const files = [sourceFile('model.safetensors', safetensors(tensors))];
  expect([...types.keys(), 'stranger'].filter((name) => wouldBeQuantized(name, files, types))).toEqual([
    'embed',
    'a',
    'b',
    'conv',
    'c',
  ]);
});

test('a source reads gradients of any dtype as fp32, block by block', async () => {
  const source = memorySource(
    core,
    { a: tensors['a']!, c: tensors['c']! },
    { a: bf16([20, 20], new Float32Array(400).fill(0.5)) },
  );
  const { plan } = await codingsOf(source);
  const [at] = [...levelBlocks(plan)];
  const { gradients, weights } = await source.readWeights(0, at!.block);
  const found = new Float32Array(Uint8Array.from(gradients!).buffer);
  expect([...found.subarray(0, 400)].every((g) => g === 0.5)).toBe(true);
  expect([...found.subarray(400)].every(Number.isNaN)).toBe(true);
  expect([...new Float32Array(Uint8Array.from(weights).buffer)]).toEqual([
    ...(tensors['a']!.data as Float32Array),
    ...(tensors['c']!.data as Float32Array),
  ]);
});
