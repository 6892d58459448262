import { describe, expect, test } from 'vitest';
import type { Dtype } from '../../checkpoint/dtype.ts';
import type { LayerType } from '../../checkpoint/layer-type.ts';
import { buildModel, floats, graphAttribute, integers, node, value, type ModelParts } from '../onnx/build-model.ts';
import { describeGraph } from '../describe-graph.ts';
import { layerTypeOf } from './layer-type-of.ts';
import { layerTypesFor } from './layer-types-for.ts';
import { layerTypesFromGraph } from './layer-types-from-graph.ts';
import { quantizedLayerType } from './quantized-layer-type.ts';

function weight(name: string, dims: number[]) {
  return floats(name, dims, Array<number>(dims.reduce((product, dim) => product * dim, 1)).fill(0.5));
}

function typesOf(parts: Omit<ModelParts, 'outputs'>): Record<string, LayerType> {
  return Object.fromEntries(layerTypesFromGraph(describeGraph(buildModel({ outputs: [], ...parts }))));
}

describe('layerTypesFromGraph', () => {
  test.each<[string, ModelParts['nodes'], ReturnType<typeof floats>[], Record<string, LayerType>]>([
    ['Gather', [node('Gather', ['w', 'i'], ['y'])], [weight('w', [8, 4])], { w: 'embedding' }],
    [
      'MatMul on either side',
      [node('MatMul', ['x', 'w'], ['y']), node('MatMul', ['v', 'y'], ['z'])],
      [weight('w', [4, 4]), weight('v', [4, 4])],
      { w: 'linear', v: 'linear' },
    ],
    [
      'Gemm with its bias',
      [node('Gemm', ['x', 'w', 'b'], ['y'])],
      [weight('w', [4, 4]), weight('b', [4])],
      { w: 'linear', b: 'bias' },
    ],
    [
      'Add after MatMul',
      [node('MatMul', ['x', 'w'], ['m']), node('Add', ['b', 'm'], ['y'])],
      [weight('w', [4, 4]), weight('b', [4])],
      { w: 'linear', b: 'bias' },
    ],
    [
      'Conv and ConvTranspose',
      [node('Conv', ['x', 'w', 'b'], ['m']), node('ConvTranspose', ['m', 'v'], ['y'])],
      [weight('w', [4, 4, 3, 3]), weight('b', [4]), weight('v', [4, 4, 3, 3])],
      { w: 'convolution', b: 'bias', v: 'convolution' },
    ],
    [
      'BatchNormalization',
      [node('BatchNormalization', ['x', 's', 'b', 'm', 'v'], ['y'])],
      ['s', 'b', 'm', 'v'].map((name) => weight(name, [4])),
      { s: 'norm', b: 'norm', m: 'buffer', v: 'buffer' },
    ],
    [
      'LayerNormalization',
      [node('LayerNormalization', ['x', 's', 'b'], ['y'])],
      [weight('s', [4]), weight('b', [4])],
      { s: 'norm', b: 'norm' },
    ],
    [
      'a decomposed layer norm',
      [node('Mul', ['x', 'g'], ['m']), node('Add', ['m', 'b'], ['y'])],
      [weight('g', [4]), weight('b', [4])],
      { g: 'norm', b: 'bias' },
    ],
    [
      'a table of positions that is added',
      [node('Add', ['x', 'p'], ['y'])],
      [weight('p', [1, 8, 4])],
      { p: 'embedding' },
    ],
    [
      'a rotary table that multiplies',
      [node('Mul', ['x', 'cos_cached'], ['y'])],
      [weight('cos_cached', [8, 4])],
      { cos_cached: 'buffer' },
    ],
    [
      'LSTM',
      [node('LSTM', ['x', 'w', 'r', 'b'], ['y'])],
      [weight('w', [1, 16, 4]), weight('r', [1, 16, 4]), weight('b', [1, 32])],
      { w: 'linear', r: 'linear', b: 'bias' },
    ],
    [
      'a weight behind Transpose, Cast and Unsqueeze',
      [
        node('Transpose', ['w'], ['t']),
        node('Cast', ['t'], ['c']),
        node('Unsqueeze', ['c', 'a'], ['u']),
        node('MatMul', ['x', 'u'], ['y']),
      ],
      [weight('w', [4, 4])],
      { w: 'linear' },
    ],
    [
      'weights joined before use',
      [node('Concat', ['q', 'k'], ['qk']), node('MatMul', ['x', 'qk'], ['y'])],
      [weight('q', [4, 4]), weight('k', [4, 4])],
      { q: 'linear', k: 'linear' },
    ],
    [
      'a tied embedding',
      [node('Gather', ['w', 'i'], ['e']), node('Transpose', ['w'], ['t']), node('MatMul', ['e', 't'], ['y'])],
      [weight('w', [8, 4])],
      { w: 'embedding' },
    ],
    ['an unknown operator', [node('Mystery', ['w'], ['y'])], [weight('w', [8, 4])], {}],
  ])('%s', (_, nodes, initializers, expected) => {
    expect(typesOf({ nodes, initializers, inputs: [value('x', [4, 4]), value('i', [2], 'I64')] })).toEqual(expected);
  });

  test('a weight of the main graph that only a branch uses', () => {
    const branch = { nodes: [node('MatMul', ['x', 'w'], ['y_branch'])], outputs: [value('y_branch', [4, 4])] };
    const nodes = [node('If', ['c'], ['y'], [graphAttribute('then_branch', branch)])];
    expect(
      typesOf({ nodes, initializers: [weight('w', [4, 4])], inputs: [value('x', [4, 4]), value('c', [], 'BOOL')] }),
    ).toEqual({ w: 'linear' });
  });

  test('integers are buffers whatever reads them', () => {
    expect(
      typesOf({ nodes: [node('Gather', ['t', 'i'], ['y'])], initializers: [integers('t', [2, 2], [1, 2, 3, 4])] }),
    ).toEqual({ t: 'buffer' });
  });
});

describe('layerTypeOf', () => {
  test.each<[string, number[], Dtype, LayerType]>([
    ['transformer.wte.weight', [50257, 768], 'F32', 'embedding'],
    ['model.embed_tokens.weight', [32000, 4096], 'BF16', 'embedding'],
    ['tok.weight', [1024, 96], 'F32', 'embedding'],
    ['bert.embeddings.position_embeddings.weight', [512, 768], 'F32', 'embedding'],
    ['bert.embeddings.LayerNorm.weight', [768], 'F32', 'norm'],
    ['bert.embeddings.position_ids', [1, 512], 'I64', 'buffer'],
    ['h.0.ln_1.weight', [768], 'F32', 'norm'],
    ['h.0.ln_1.bias', [768], 'F32', 'bias'],
    ['h.0.attn.c_attn.weight', [768, 2304], 'F32', 'linear'],
    ['h.0.attn.bias', [1, 1, 1024, 1024], 'F32', 'bias'],
    ['h.0.attn.masked_bias', [], 'F32', 'buffer'],
    ['visual.patch_embed.proj.weight', [768, 3, 16, 16], 'F32', 'convolution'],
    ['cls_token', [1, 1, 768], 'F32', 'embedding'],
    ['blocks.0.experts.w1', [8, 1024, 64], 'F32', 'linear'],
    ['layer1.0.conv1.weight', [64, 64, 3, 3], 'F32', 'convolution'],
    ['encoder.conv.weight', [64, 64, 3], 'F32', 'convolution'],
    ['layer1.0.downsample.1.weight', [64], 'F32', 'norm'],
    ['bn1.running_mean', [64], 'F32', 'buffer'],
    ['bn1.num_batches_tracked', [], 'I64', 'buffer'],
    ['rotary.inv_freq', [32], 'F32', 'buffer'],
    ['lm_head.weight', [32000, 4096], 'BF16', 'linear'],
    ['quantized.weight', [16, 16], 'I8', 'buffer'],
  ])('%s %j %s is %s', (name, shape, dtype, type) => {
    expect(layerTypeOf(name, shape, dtype)).toBe(type);
  });
});

describe('quantizedLayerType', () => {
  test.each<[string, LayerType, number[], Dtype, string | undefined]>([
    ['a matrix', 'linear', [16, 16], 'BF16', 'linear'],
    ['a small first convolution', 'convolution', [16, 1, 3, 3], 'F32', undefined],
    ['a vector in matrix form', 'embedding', [1, 1, 768], 'F32', undefined],
    ['a normalization table', 'norm', [64, 64], 'F32', undefined],
    ['doubles', 'linear', [64, 64], 'F64', undefined],
  ])('%s', (_, type, shape, dtype, expected) => {
    expect(quantizedLayerType(type, { shape, dtype })).toBe(expected);
  });
});

describe('layerTypesFor', () => {
  const tensors = [
    { name: 'a', dtype: 'F32' as const, shape: [8, 4] },
    { name: 'lost', dtype: 'F32' as const, shape: [8, 4] },
    { name: 'n', dtype: 'F32' as const, shape: [4] },
  ];
  const graph = describeGraph(
    buildModel({
      nodes: [node('Gather', ['renamed', 'i'], ['y'])],
      initializers: [weight('renamed', [8, 4])],
      inputs: [value('i', [2], 'I64')],
      outputs: [],
    }),
  );

  test('overrides win over the graph, the graph over names', () => {
    const binding = { renamed: { tensor: 'a', transpose: false } };
    expect([...layerTypesFor({ tensors, graph, binding })]).toEqual([
      ['a', 'embedding'],
      ['lost', 'linear'],
      ['n', 'bias'],
    ]);
    expect(layerTypesFor({ tensors, graph, binding, overrides: { a: 'norm' } }).get('a')).toBe('norm');
    expect(layerTypesFor({ tensors }).get('a')).toBe('linear');
  });

  test('an override of a tensor that is not there is refused', () => {
    expect(() => layerTypesFor({ tensors, overrides: { nobody: 'norm' } })).toThrow(
      expect.objectContaining({ code: 'invalid-request' }),
    );
  });
});
