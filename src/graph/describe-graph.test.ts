import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../checkpoint/firn-error.ts';
import {
  buildModel,
  external,
  floats,
  graphAttribute,
  integers,
  node,
  tensorAttribute,
  value,
} from './onnx/build-model.ts';
import { describeGraph, describeGraphFile } from './describe-graph.ts';
import { evaluationGraph } from './evaluation-graph.ts';
import { defaultGraphLimits } from './onnx/graph-limits.ts';
import { memoryGraphSource } from './onnx/graph-source.ts';
import { layerTypesFromGraph } from './layers/layer-types-from-graph.ts';
import { ModelProtoSchema, type ModelProto } from './onnx/onnx_pb.ts';
import { readElements } from './elements/read-elements.ts';

/** x[N,4] -> MatMul w -> Add b -> y, with a branch that uses a weight of its own. */
function smallModel(): Uint8Array {
  const branch = (name: string) => ({
    nodes: [node('Mul', ['h', name], [`${name}_out`])],
    initializers: [floats(name, [3], [1, 2, 3])],
    outputs: [value(`${name}_out`, ['N', 3])],
  });
  return buildModel({
    inputs: [value('x', ['N', 4])],
    outputs: [value('y', ['N', 3])],
    initializers: [
      floats(
        'w',
        [4, 3],
        Array.from({ length: 12 }, (_, i) => i),
      ),
      floats('b', [3], [1, 2, 3]),
      integers('axes', [1], [0]),
    ],
    nodes: [
      node('Constant', [], ['flag'], [tensorAttribute('value', { dims: [], dataType: 9, rawData: Uint8Array.of(1) })]),
      node('MatMul', ['x', 'w'], ['m']),
      node('Add', ['m', 'b'], ['h']),
      node(
        'If',
        ['flag'],
        ['y'],
        [graphAttribute('then_branch', branch('scale_a')), graphAttribute('else_branch', branch('scale_b'))],
      ),
    ],
  });
}

function edited(bytes: Uint8Array, edit: (model: ModelProto) => void): Uint8Array {
  const model = fromBinary(ModelProtoSchema, bytes);
  edit(model);
  return toBinary(ModelProtoSchema, model);
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof FirnError) return error.code;
    throw error;
  }
  return 'none';
}

describe('describeGraph', () => {
  test('names inputs, outputs, initializers in every place, and the opset', () => {
    const graph = describeGraph(smallModel());
    expect(graph.inputs).toEqual([{ name: 'x', dtype: 'F32', dims: ['N', 4] }]);
    expect(graph.outputs).toEqual([{ name: 'y', dtype: 'F32', dims: ['N', 3] }]);
    expect(graph.initializers.map((each) => [each.name, each.dtype, each.shape, each.external])).toEqual([
      ['w', 'F32', [4, 3], false],
      ['b', 'F32', [3], false],
      ['axes', 'I64', [1], false],
      ['flag', 'BOOL', [], false],
      ['scale_a', 'F32', [3], false],
      ['scale_b', 'F32', [3], false],
    ]);
    expect([graph.opset, graph.hasSubgraphs]).toEqual([17, true]);
  });

  test('an initializer that older files list as an input too is not an input', () => {
    const graph = describeGraph(
      edited(smallModel(), (model) =>
        model.graph!.input.push(create(ModelProtoSchema, { graph: { input: [value('w', [4, 3])] } }).graph!.input[0]!),
      ),
    );
    expect(graph.inputs.map((input) => input.name)).toEqual(['x']);
    expect(graph.initializers[0]!.name).toBe('w');
  });

  test.each([
    [
      'F32 in float_data',
      { dataType: 1, floatData: [new Uint8Array(Float32Array.of(1.5, -2).buffer)] },
      new Uint8Array(Float32Array.of(1.5, -2).buffer),
    ],
    [
      'F64 in double_data',
      { dataType: 11, doubleData: [new Uint8Array(Float64Array.of(1.5, -2).buffer)] },
      new Uint8Array(Float64Array.of(1.5, -2).buffer),
    ],
    [
      'F16 as varints in int32_data',
      { dataType: 10, int32Data: [Uint8Array.of(0x80, 0x78, 0x80, 0x80, 0x03)] },
      Uint8Array.of(0x00, 0x3c, 0x00, 0xc0),
    ],
  ])('reads %s as little-endian bytes', async (_, data, bytes) => {
    const model = buildModel({ nodes: [], outputs: [], initializers: [{ name: 't', dims: [2n], ...data }] });
    const source = memoryGraphSource(model);
    for (const graph of [describeGraph(model), await describeGraphFile(source)]) {
      const pieces: Uint8Array[] = [];
      for await (const piece of readElements(source, graph.initializers[0]!.stored!)) pieces.push(piece.slice());
      expect(new Uint8Array(Buffer.concat(pieces))).toEqual(bytes);
    }
  });

  test.each([
    ['no graph', new Uint8Array()],
    ['text', new TextEncoder().encode('this is not a model')],
    [
      'data shorter than the shape',
      buildModel({ nodes: [], outputs: [], initializers: [{ ...floats('w', [3], [1, 2]) }] }),
    ],
    [
      'a negative dimension',
      buildModel({ nodes: [], outputs: [], initializers: [{ ...floats('w', [1], [1]), dims: [-1n] }] }),
    ],
    [
      'more elements than can be counted',
      buildModel({ nodes: [], outputs: [], initializers: [external('w', [2 ** 40, 2 ** 40])] }),
    ],
    [
      'a rank beyond the limit',
      buildModel({ nodes: [], outputs: [], initializers: [floats('w', Array<number>(40).fill(1), [1])] }),
    ],
    [
      'words wider than 16 bits',
      buildModel({
        nodes: [],
        outputs: [],
        initializers: [{ name: 't', dims: [1n], dataType: 10, int32Data: [Uint8Array.of(0xff, 0xff, 0x7f)] }],
      }),
    ],
  ])('refuses %s', (_, bytes) => {
    expect(codeOf(() => describeGraph(bytes))).toBe('graph-invalid');
  });

  test('refuses what exceeds a limit, before decoding it', () => {
    const bytes = smallModel();
    const limits = { ...defaultGraphLimits };
    expect(codeOf(() => describeGraph(bytes, { ...limits, nodes: 3 }))).toBe('graph-invalid');
    expect(codeOf(() => describeGraph(bytes, { ...limits, tensors: 3 }))).toBe('graph-invalid');
    expect(codeOf(() => describeGraph(bytes, { ...limits, fields: 50 }))).toBe('graph-invalid');
    expect(codeOf(() => describeGraph(bytes, { ...limits, sizeBytes: 100 }))).toBe('graph-invalid');
    expect(codeOf(() => describeGraph(bytes, { ...limits, depth: 4 }))).toBe('graph-invalid');
    expect(codeOf(() => describeGraph(bytes, limits))).toBe('none');
  });

  test('a file of a few kilobytes that nests without end is refused, not recursed into', () => {
    let body = new Uint8Array();
    // node (1) -> attribute (5) -> graph (6), around and around
    for (const tag of Array.from({ length: 3000 }, (_, level) => [0x32, 0x2a, 0x0a][level % 3]!))
      body = field(tag, body);
    expect(codeOf(() => describeGraph(field(0x3a, body)))).toBe('graph-invalid');
  });

  test('millions of empty messages are refused before they become objects', () => {
    const empty = new Uint8Array(2 * defaultGraphLimits.nodes + 2);
    for (let at = 0; at < empty.length; at += 2) empty[at] = 0x0a;
    const before = process.memoryUsage().heapUsed;
    expect(codeOf(() => describeGraph(field(0x3a, empty)))).toBe('graph-invalid');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(16 * 2 ** 20);
  });

  test('external data is accepted where a checkpoint can fill it and refused anywhere else', () => {
    const hidden = external('secret', [2], 'F32', '/etc/passwd');
    const attribute = (part: object) =>
      buildModel({ nodes: [node('Custom', [], ['c'], [part as never])], outputs: [value('c', [2])] });
    const cases: [Uint8Array, string][] = [
      [buildModel({ nodes: [], outputs: [], initializers: [hidden] }), 'none'],
      [buildModel({ nodes: [], outputs: [], initializers: [{ ...hidden, externalData: [] }] }), 'none'],
      [
        buildModel({
          nodes: [],
          outputs: [],
          initializers: [
            { ...hidden, dataLocation: 7 },
            { ...hidden, name: 'secret' },
          ],
        }),
        'graph-external-data',
      ],
      [attribute(tensorAttribute('any', hidden)), 'graph-external-data'],
      [attribute({ name: 'any', tensors: [hidden] }), 'graph-external-data'],
      [attribute({ name: 'any', sparseTensor: { values: hidden } }), 'graph-external-data'],
      [
        edited(smallModel(), (model) =>
          model.graph!.sparseInitializer.push(
            ...create(ModelProtoSchema, { graph: { sparseInitializer: [{ indices: hidden }] } }).graph!
              .sparseInitializer,
          ),
        ),
        'graph-external-data',
      ],
      [
        edited(
          smallModel(),
          (model) =>
            (model.functions = create(ModelProtoSchema, {
              functions: [{ node: [node('Constant', [], ['f'], [tensorAttribute('value', hidden)])] }],
            }).functions),
        ),
        'graph-external-data',
      ],
      [
        edited(
          smallModel(),
          (model) =>
            (model.trainingInfo = create(ModelProtoSchema, {
              trainingInfo: [{ algorithm: { initializer: [hidden] } }],
            }).trainingInfo),
        ),
        'graph-external-data',
      ],
    ];
    for (const [bytes, code] of cases) expect(codeOf(() => describeGraph(bytes))).toBe(code);
  });

  test('mutated files are described or refused, never anything else', () => {
    const original = smallModel();
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(original.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        fc.nat(original.length),
        (changes, length) => {
          const bytes = original.slice(0, length > original.length / 2 ? undefined : original.length - length);
          for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
          expect(['none', 'graph-invalid', 'graph-external-data', 'graph-missing-weights']).toContain(
            codeOf(() => {
              const graph = describeGraph(bytes);
              layerTypesFromGraph(graph);
              evaluationGraph(bytes, 'external');
            }),
          );
        },
      ),
      { numRuns: 2000 },
    );
  });
});

/** A length-delimited field. */
function field(tag: number, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const length: number[] = [];
  for (let rest = body.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Uint8Array.from([tag, ...length, ...body]);
}
