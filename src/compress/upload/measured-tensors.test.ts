import { expect, test } from 'vitest';
import type { LayerType } from '../../checkpoint/layer-type.ts';
import { describeGraph } from '../../graph/describe-graph.ts';
import { memoryReader, sourceFile } from '../harness/memory-source.test-support.ts';
import { findMeasured } from './measured-tensors.ts';
import { modelLayerTypes } from '../plan/model-layer-types.ts';
import type { SourceFile } from './model-source.ts';
import {
  f32,
  noise,
  quantizedNames,
  safetensors,
  tinyGraph,
  tinyWeights,
  type TestTensors,
} from '../harness/tiny-model.test-support.ts';

const weights = tinyWeights(0);
const binding = Object.fromEntries(
  [...quantizedNames, 'fc.bias'].map((tensor) => [tensor, { tensor, transpose: false }]),
);
const model = (tensors: TestTensors, path = 'model.safetensors') => sourceFile(path, safetensors(tensors));

test('tensors that the graph is bound to are measured; the rest is not', async () => {
  const found = await findMeasured(binding, [
    model({ ...weights, spare: f32([32, 32], noise(1024, 1)), scalar: f32([], [1]) }),
  ]);
  expect([...found.unmeasured].sort()).toEqual(['scalar', 'spare']);
  expect(found.twins.size).toBe(0);
});

test('only a bit-identical tensor of the same shape and dtype is its twin, in whatever file', async () => {
  const embed = weights['embed.weight']!;
  const near = Uint8Array.from(new Uint8Array(embed.data.buffer));
  near[0] = near[0]! ^ 1;
  const found = await findMeasured(binding, [
    model(weights),
    model(
      {
        tied: embed,
        near: { ...embed, data: near },
        turned: { ...embed, shape: [16, 32] },
        typed: { ...embed, dtype: 'I32' },
      },
      'more.safetensors',
    ),
  ]);
  expect([...found.twins]).toEqual([['tied', 'embed.weight']]);
  expect([...found.unmeasured].sort()).toEqual(['near', 'turned', 'typed']);
});

test('only tensors that could be twins are read', async () => {
  const spare = { spare: f32([32, 31], noise(992, 1)) };
  const read: number[] = [];
  const file: SourceFile = model({ ...weights, ...spare });
  const watched = {
    ...file,
    reader: {
      ...memoryReader(new Uint8Array()),
      async *stream(start = 0) {
        read.push(start);
        yield new Uint8Array();
      },
    },
  };
  expect([...(await findMeasured(binding, [watched])).unmeasured]).toEqual(['spare']);
  expect(read).toEqual([]);
});

test('a twin has the layer type of its measured tensor, unless one was given at upload', () => {
  const files = [model({ ...weights, tied: weights['embed.weight']! })];
  const measuredBy = { graph: describeGraph(tinyGraph()), binding, twins: new Map([['tied', 'embed.weight']]) };
  const typesOf = (layerTypes: Record<string, LayerType>) => modelLayerTypes({ layerTypes }, files, measuredBy);
  expect([typesOf({}).get('embed.weight'), typesOf({}).get('tied')]).toEqual(['embedding', 'embedding']);
  expect(typesOf({ tied: 'linear', elsewhere: 'norm' }).get('tied')).toBe('linear');
});

test('a name in two model files is refused', () => {
  expect(() => modelLayerTypes({ layerTypes: {} }, [model(weights), model(weights, 'more.safetensors')])).toThrowError(
    expect.objectContaining({ code: 'tensor-duplicate' }) as Error,
  );
});
