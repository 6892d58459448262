import { create, toBinary } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import {
  buildModel,
  external,
  floats,
  graphAttribute,
  graphOf,
  integers,
  intsAttribute,
  node,
  tensorAttribute,
  value,
  type ModelParts,
} from '../../onnx/build-model.ts';
import { ModelProtoSchema } from '../../onnx/onnx_pb.ts';
import { onnxTypeOfDtype } from '../../onnx/onnx-dtype.ts';
import { readModel } from '../../onnx/read-model.ts';
import { bindModel, couldFillModel, numbers, type TestCheckpoint } from '../bind-model.test-support.ts';

/** A model with `fc.weight`, which the checkpoint fills, and other initializers. */
function modelWith(initializers: NonNullable<ModelParts['initializers']>, nodes: ModelParts['nodes'] = []): ModelParts {
  return {
    nodes: [
      node('MatMul', ['x', 'fc.weight'], ['h']),
      ...initializers.map(({ name }, at) => node('Add', ['h', name!], [`a${at}`])),
      ...nodes,
    ],
    initializers: [floats('fc.weight', [4, 3], numbers(12)), ...initializers],
    inputs: [value('x', ['n', 4])],
    outputs: [value('h', ['n', 3])],
  };
}

const checkpoint: TestCheckpoint = { 'fc.weight': [[4, 3]] };
const refused = (...texts: readonly string[]) => ({
  code: 'graph-missing-weights',
  message: expect.stringMatching(
    new RegExp(texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')),
  ),
});

/** Other initializers of the graph, other tensors of the checkpoint, parts of the sentence. */
const openWeights: readonly [string, NonNullable<ModelParts['initializers']>, TestCheckpoint, readonly string[]][] = [
  [
    'a weight that the checkpoint lacks',
    [floats('out.bias', [3], numbers(3))],
    {},
    ['"out.bias"', 'all its shards', '"constants":["out.bias"]'],
  ],
  [
    'a weight under another name',
    [floats('onnx::MatMul_7', [3, 5], numbers(15))],
    { 'out.weight': [[5, 3], numbers(15, 2)] },
    ['"onnx::MatMul_7"', '"out.weight"', '"tensorMap":{"onnx::MatMul_7":{"tensor":"out.weight","transpose":true}}'],
  ],
  [
    'a weight that may be several',
    [floats('onnx::MatMul_7', [3, 5], numbers(15))],
    { 'a.weight': [[5, 3]], 'b.weight': [[3, 5]] },
    ['"onnx::MatMul_7"', '"a.weight", "b.weight"', 'optimize=False', 'tensorMap'],
  ],
  [
    'a weight in another shape',
    [floats('onnx::PRelu_4', [3, 1, 1], numbers(3))],
    { 'act.weight': [[3]] },
    ['"onnx::PRelu_4"', '"act.weight"', 'another shape', 'optimize=False'],
  ],
  [
    'projections that the exporter joined',
    [floats('qkv', [12, 4], numbers(48))],
    {
      'h.0.attn.q.weight': [[4, 4]],
      'h.0.attn.k.weight': [[4, 4]],
      'h.0.attn.v.weight': [[4, 4]],
      'h.0.fc.bias': [[9]],
    },
    ['"qkv"', '"h.0.attn.q.weight", "h.0.attn.k.weight", "h.0.attn.v.weight"', 'joined', 'optimize=False'],
  ],
  [
    'a batch normalization folded into a convolution',
    [floats('onnx::Conv_9', [8, 3, 3, 3], numbers(216))],
    { 'c1.weight': [[8, 3, 3, 3]], 'b1.running_mean': [[8]], 'b1.running_var': [[8]] },
    ['"onnx::Conv_9"', '"c1.weight"', 'batch normalization', '"b1.running_var"', 'optimize=False'],
  ],
  [
    'a table that the exporter computed from a weight',
    [floats('embedding_1', [1, 5, 6], numbers(30))],
    { 'wpe.weight': [[9, 6]] },
    ['"embedding_1"', '"wpe.weight"', 'optimize=False'],
  ],
  ['an initializer left open', [external('w2', [7])], {}, ['"w2"', 'external_data=False']],
  [
    'many weights',
    Array.from({ length: 9 }, (_, at) => floats(`b.${at}`, [3], numbers(3, at))),
    {},
    ['"b.0", "b.1"', 'and 4 more'],
  ],
];

describe('a checkpoint is refused that leaves to the graph', () => {
  test.each(openWeights)('%s', async (_, initializers, more, texts) => {
    const model = modelWith(initializers);
    await expect(bindModel(model, { ...checkpoint, ...more })).rejects.toMatchObject(refused(...texts));
    if (initializers.some((each) => each.dataLocation === 1)) return;
    const { constants } = await bindModel(
      model,
      { ...checkpoint, ...more },
      { constants: initializers.map((each) => each.name!) },
    );
    expect(constants).toEqual(initializers.map((each) => each.name));
  });

  test('the map that the sentence gives is the one that helps', async () => {
    const model = modelWith([floats('onnx::MatMul_7', [3, 5], numbers(15))]);
    const tensors: TestCheckpoint = { ...checkpoint, 'out.weight': [[5, 3]] };
    const error = await bindModel(model, tensors).catch((each: unknown) => each as Error);
    const spec = JSON.parse(`{${/"tensorMap":\{.*?\}\}/.exec((error as Error).message)![0]}}`) as object;
    expect((await bindModel(model, tensors, spec)).binding['onnx::MatMul_7']).toEqual({
      tensor: 'out.weight',
      transpose: true,
    });
  });

  test('a single number, only if the checkpoint has an unused one', async () => {
    const model = modelWith(
      [floats('val_1', [], [2])],
      [node('Constant', [], ['val_2'], [{ name: 'value_float', type: 1, f: 3 }])],
    );
    expect((await bindModel(model, { ...checkpoint, count: [[1], undefined, 'I64'] })).binding).toHaveProperty(
      'fc.weight',
    );
    const tensors: TestCheckpoint = { ...checkpoint, logit_scale: [[]] };
    await expect(bindModel(model, tensors)).rejects.toMatchObject(
      refused('"logit_scale"', '"val_1", "val_2"', '"constants":["val_1","val_2"]'),
    );
    await expect(bindModel(model, tensors, { constants: ['val_*'] })).resolves.toMatchObject({ constants: [] });
  });

  test('one weight instead of several equal ones, through any operator that passes it on', async () => {
    const ones = floats('ln.0.weight', [3], [1, 1, 1]);
    const nodes = [node('Identity', ['ln.0.weight'], ['ln.1.weight']), node('Mul', ['h', 'ln.1.weight'], ['z'])];
    const model = modelWith([ones], nodes);
    const tensors: TestCheckpoint = { ...checkpoint, 'ln.0.weight': [[3], [1, 1, 1]], 'ln.1.weight': [[3], [1, 1, 1]] };
    await expect(bindModel(model, tensors)).rejects.toMatchObject(
      refused('"ln.0.weight" in several places', '"ln.1.weight"', 'optimize=False'),
    );
    await expect(bindModel(modelWith([external('ln.0.weight', [3])], nodes), tensors)).rejects.toMatchObject(
      refused('"ln.0.weight" in several places'),
    );
    // A layer that several places share has numbers of its own.
    await expect(bindModel(modelWith([floats('ln.0.weight', [3], [1, 2, 1])], nodes), tensors)).resolves.toBeDefined();
    await expect(bindModel(modelWith([ones]), tensors)).resolves.toBeDefined();
  });

  test('a missing batch normalization after a convolution that still has its name', async () => {
    const model = modelWith([floats('c1.weight', [8, 3, 1, 1], numbers(24))]);
    const norm: TestCheckpoint = { 'b1.weight': [[8]], 'b1.running_mean': [[8]], 'b1.running_var': [[8]] };
    const tensors: TestCheckpoint = { ...checkpoint, 'c1.weight': [[8, 3, 1, 1]], ...norm };
    await expect(bindModel(model, tensors)).rejects.toMatchObject(refused('"b1.running_var"', 'optimize=False'));
    // A part of the model that the graph lacks.
    await expect(bindModel(model, { ...tensors, 'aux.weight': [[8, 5, 1, 1]] })).resolves.toBeDefined();
  });

  test('tensors that are missing, or have another shape, are named by the initializers they filled', async () => {
    await expect(bindModel(modelWith([]), { other: [[4, 3]], another: [[4, 3]] })).rejects.toMatchObject({
      code: 'graph-missing-weights',
    });
  });
});

describe('numbers that no tensor can fill are refused, and may be declared', () => {
  const hidden = (name: string, parts: Partial<ModelParts>): readonly [string, ModelParts] => [
    name,
    { ...modelWith([]), ...parts },
  ];
  const twice = [
    floats('fc.weight', [4, 3], numbers(12)),
    floats('b', [3], numbers(3)),
    floats('b', [3], numbers(3, 2)),
  ];
  test.each([
    hidden('b', { initializers: twice }),
    hidden('op.table', {
      nodes: [
        ...modelWith([]).nodes,
        { ...node('Lookup', ['h'], ['z'], [tensorAttribute('table', floats('', [3], numbers(3)))]), name: 'op' },
      ],
    }),
    hidden('vals', {
      nodes: [
        ...modelWith([]).nodes,
        node(
          'Constant',
          [],
          ['vals'],
          [{ name: 'sparse_value', type: 11, sparseTensor: { values: floats('', [3], numbers(3)) } }],
        ),
      ],
    }),
  ])('%s', async (name, model) => {
    await expect(bindModel(model, checkpoint)).rejects.toMatchObject(refused(`"${name}"`, `"constants":["${name}"]`));
    expect(() => couldFillModel(model, checkpoint)).toThrow(expect.objectContaining({ code: 'graph-missing-weights' }));
    await expect(bindModel(model, checkpoint, { constants: [name] })).resolves.toBeDefined();
  });

  test('in a function, but not in a training graph', async () => {
    const bytes = buildModel(modelWith([]));
    const constant = node('Constant', [], ['inner'], [tensorAttribute('value', floats('', [3], numbers(3)))]);
    const withParts = (parts: object) =>
      toBinary(
        ModelProtoSchema,
        Object.assign(readModel(bytes), create(ModelProtoSchema, parts as never), { graph: readModel(bytes).graph }),
      );
    await expect(
      bindModel(withParts({ functions: [{ name: 'F', node: [constant] }] }), checkpoint),
    ).rejects.toMatchObject(refused('"inner"', 'function'));
    await expect(
      bindModel(withParts({ trainingInfo: [{ algorithm: graphOf({ nodes: [constant], outputs: [] }) }] }), checkpoint),
    ).resolves.toBeDefined();
  });

  test('as a list of numbers, one by one or packed', async () => {
    const attribute = (bytes: number[]) => Buffer.from([0x0a, 12, ...Buffer.from('value_floats'), ...bytes]);
    const lists = [
      attribute([0x3d, 0, 0, 128, 63, 0x3d, 0, 0, 0, 64]),
      attribute([0x3a, 8, 0, 0, 128, 63, 0, 0, 0, 64]),
    ];
    for (const list of lists) {
      // A Constant node by hand: output "vals", operator, attribute.
      const inner = Buffer.concat([
        Buffer.from([0x12, 4, ...Buffer.from('vals'), 0x22, 8, ...Buffer.from('Constant'), 0x2a, list.length]),
        list,
      ]);
      const graph = Buffer.concat([Buffer.from([0x0a, inner.length]), inner]);
      const bytes = Buffer.concat([buildModel(modelWith([])), Buffer.from([0x3a, graph.length]), graph]);
      await expect(bindModel(new Uint8Array(bytes), checkpoint)).rejects.toMatchObject(
        refused('"vals"', '"constants":["vals"]'),
      );
    }
  });
});

describe('constants that are no weights are let pass', () => {
  const low = -1e9;
  const mask = [0, low, low, 0, 0, low, 0, 0, 0];
  test.each([
    ['an additive mask', mask],
    ['a mask with a zero below zero', mask.map((each) => (each === 0 ? -0 : each))],
    ['a mask of minus infinity', mask.map((each) => (each === 0 ? 0 : -Infinity))],
  ])('%s', async (_, values) => {
    expect((await bindModel(modelWith([floats('mask', [1, 3, 3], values)]), checkpoint)).constants).toEqual(['mask']);
    expect(() => couldFillModel(modelWith([floats('mask', [1, 3, 3], values)]), checkpoint)).not.toThrow();
  });

  test.each([
    ['three numbers', [0, low, low, 0, 0, low, 0, 0, 1]],
    ['no low number', [0, -1, -1, 0, 0, -1, 0, 0, 0]],
    ['zeros alone', Array<number>(9).fill(0)],
  ])('but not of %s', async (_, values) => {
    await expect(bindModel(modelWith([floats('mask', [3, 3], values)]), checkpoint)).rejects.toMatchObject(
      refused('"mask"'),
    );
  });

  test('factors of a Resize, through Concat or as they are, unless they are used otherwise too', async () => {
    const factors = [floats('one', [2], [1, 1]), floats('two', [2], [2, 2])];
    const parts = (more: ModelParts['nodes']): ModelParts => ({
      ...modelWith([]),
      initializers: [floats('fc.weight', [4, 3], numbers(12)), ...factors],
      nodes: [
        ...modelWith([]).nodes,
        node('Concat', ['one', 'two'], ['scales']),
        node('Resize', ['h', '', 'scales'], ['r']),
        ...more,
      ],
    });
    await expect(bindModel(parts([]), checkpoint)).resolves.toMatchObject({ constants: ['one', 'two'] });
    await expect(bindModel(parts([node('Mul', ['h', 'two'], ['z'])]), checkpoint)).rejects.toMatchObject(
      refused('"two"'),
    );
  });

  test('zeros that a recurrent layer starts from, unless an unused tensor has their size', async () => {
    const start = floats('h0', [1, 1, 3], [0, 0, 0]);
    const parts = (values: typeof start): ModelParts => ({
      ...modelWith([]),
      initializers: [floats('fc.weight', [4, 3], numbers(12)), values],
      nodes: [...modelWith([]).nodes, node('Slice', ['h0'], ['s']), node('GRU', ['h', 'x', 'x', '', '', 's'], ['g'])],
    });
    await expect(bindModel(parts(start), checkpoint)).resolves.toMatchObject({ constants: ['h0'] });
    await expect(bindModel(parts(start), { ...checkpoint, h0_learned: [[3]] })).rejects.toMatchObject(
      refused('"h0"', '"h0_learned"'),
    );
    await expect(bindModel(parts(floats('h0', [1, 1, 3], [0, 0, 1])), checkpoint)).rejects.toMatchObject(
      refused('"h0"'),
    );
  });

  test('integers, and tensors of the checkpoint that the graph does not use', async () => {
    const model = modelWith(
      [integers('shape', [2], [1, 2])],
      [node('Transpose', ['h'], ['t'], [intsAttribute('perm', [1, 0])])],
    );
    await expect(bindModel(model, { ...checkpoint, 'pooler.weight': [[9, 9]] })).resolves.toMatchObject({
      unusedTensors: ['pooler.weight'],
    });
  });

  test('constants in a branch are constants like any other', async () => {
    const branch = {
      nodes: [node('Constant', [], ['c'], [tensorAttribute('value', floats('', [3], numbers(3)))])],
      outputs: [],
    };
    const model = modelWith([], [node('If', ['go'], ['z'], [graphAttribute('then_branch', branch)])]);
    await expect(bindModel(model, checkpoint)).rejects.toMatchObject(refused('"c"'));
  });
});

describe('couldFill, from headers alone', () => {
  test.each(openWeights)('refuses initializers that no bytes can fill: %s', (_, initializers, more) => {
    const model = modelWith(initializers);
    const tensors = { ...checkpoint, ...more };
    const layouts = new Set(Object.values(tensors).flatMap(([shape]) => [shape.join(), shape.toReversed().join()]));
    const undecided = initializers.every(
      ({ dims = [], dataLocation }) =>
        dataLocation !== 1 && (layouts.has(dims.join()) || dims.at(-1) === dims.at(-2)) && dims.length > 1,
    );
    if (undecided) expect(() => couldFillModel(model, tensors)).not.toThrow();
    else
      expect(() => couldFillModel(model, tensors)).toThrow(expect.objectContaining({ code: 'graph-missing-weights' }));
  });
});

test('headers alone refuse a square weight of a product that the checkpoint lacks', () => {
  const square = (operator: string) => modelWith([], [node(operator, ['h', 'out.weight'], ['z'])]);
  const withSquare = (operator: string) => ({
    ...square(operator),
    initializers: [floats('fc.weight', [4, 3], numbers(12)), floats('out.weight', [3, 3], numbers(9))],
  });
  expect(() => couldFillModel(withSquare('MatMul'), checkpoint)).toThrow(
    expect.objectContaining(refused('"out.weight"')),
  );
  expect(() => couldFillModel(withSquare('Add'), checkpoint)).not.toThrow();
});

test('the line to paste lists every weight that the sentence names', async () => {
  const model = modelWith(
    ['n.weight', 'n.bias', 'n.running_mean', 'n.running_var'].map((name, at) => floats(name, [3], numbers(3, at))),
  );
  await expect(bindModel(model, checkpoint)).rejects.toMatchObject(
    refused('"constants":["n.weight","n.bias","n.running_mean","n.running_var"]'),
  );
});

test('a weight that was quantized to eight bits is refused unless it is declared', async () => {
  const quantized = {
    name: 'out.weight_quantized',
    dims: [3n, 5n],
    dataType: onnxTypeOfDtype('I8'),
    rawData: new Uint8Array(15),
  };
  const model = modelWith([quantized]);
  const tensors: TestCheckpoint = { ...checkpoint, 'out.weight': [[3, 5]] };
  const refusal = refused('"out.weight_quantized"', 'eight bits', '"out.weight"', 'float32');
  await expect(bindModel(model, tensors)).rejects.toMatchObject(refusal);
  expect(() => couldFillModel(model, tensors)).toThrow(expect.objectContaining(refusal));
  await bindModel(model, tensors, { constants: ['*_quantized'] });
  await bindModel(model, checkpoint);
});
