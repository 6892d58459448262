import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { buildModel, external, floats, graphAttribute, node, tensorAttribute, value } from './onnx/build-model.ts';
import { evaluationGraph } from './evaluation-graph.ts';
import { ModelProtoSchema } from './onnx/onnx_pb.ts';

function rewritten(bytes: Uint8Array, chosen: ReadonlySet<string> | 'external') {
  const result = evaluationGraph(bytes, chosen);
  return { ...result, model: fromBinary(ModelProtoSchema, result.bytes) };
}

describe('evaluationGraph', () => {
  const model = buildModel({
    inputs: [value('x', ['N', 2]), value('w', [2, 2])],
    outputs: [value('y', ['N', 2])],
    initializers: [floats('w', [2, 2], [1, 2, 3, 4]), floats('kept', [2], [5, 6]), external('open', [2], 'BF16')],
    nodes: [
      node('Constant', [], ['c'], [tensorAttribute('value', floats('', [2], [7, 8]))]),
      node('MatMul', ['x', 'w'], ['m']),
      node(
        'If',
        ['flag'],
        ['y'],
        [
          graphAttribute('then_branch', {
            nodes: [node('Add', ['m', 'inner'], ['z'])],
            initializers: [floats('inner', [2], [1, 1])],
            outputs: [value('z', ['N', 2])],
          }),
        ],
      ),
    ],
  });

  test('chosen initializers, constants and those of subgraphs become inputs, exactly once, with type and shape', () => {
    const { model: out, feeds } = rewritten(model, new Set(['w', 'c', 'inner', 'open']));
    expect(
      out.graph!.input.map((input) => [
        input.name,
        input.type?.tensorType?.elemType,
        input.type?.tensorType?.shape?.dim.map((dim) => dim.value.value),
      ]),
    ).toEqual([
      ['x', 1, ['N', 2n]],
      ['w', 1, [2n, 2n]],
      ['firn_feed/open', 1, [2n]],
      ['c', 1, [2n]],
      ['inner', 1, [2n]],
    ]);
    expect(out.graph!.initializer.map((tensor) => tensor.name)).toEqual(['kept']);
    expect(out.graph!.node.map((each) => [each.opType, ...each.input, ...each.output])).toEqual([
      ['Cast', 'firn_feed/open', 'open'],
      ['MatMul', 'x', 'w', 'm'],
      ['If', 'flag', 'y'],
    ]);
    expect(out.graph!.node[2]!.attribute[0]!.g!.initializer).toEqual([]);
    expect(feeds.map((feed) => [feed.initializer, feed.dtype])).toEqual([
      ['w', 'F32'],
      ['open', 'F32'],
      ['c', 'F32'],
      ['inner', 'F32'],
    ]);
  });

  test('only external initializers, if requested', () => {
    expect(rewritten(model, 'external').feeds.map((feed) => feed.initializer)).toEqual(['open']);
  });

  test('a weight left open that nothing fills, or a name that is not there, is refused', () => {
    expect(() => evaluationGraph(model, new Set(['w']))).toThrow(
      expect.objectContaining({ code: 'graph-missing-weights', message: expect.stringContaining('"open"') }),
    );
    expect(() => evaluationGraph(model, new Set(['open', 'nobody']))).toThrow(
      expect.objectContaining({ code: 'graph-missing-weights' }),
    );
  });

  test('a name that is defined twice cannot be fed', () => {
    const twice = buildModel({ nodes: [], outputs: [], initializers: [floats('w', [1], [1]), floats('w', [1], [2])] });
    expect(() => evaluationGraph(twice, new Set(['w']))).toThrow(
      expect.objectContaining({ code: 'graph-missing-weights' }),
    );
  });

  test('fields it does not know survive', () => {
    const known = create(ModelProtoSchema, {
      irVersion: 8n,
      graph: { initializer: [floats('w', [1], [1])], node: [node('Relu', ['w'], ['y'])] },
    });
    known.$unknown = [{ no: 2, wireType: 2, data: Uint8Array.of(4, 116, 111, 114, 99) }];
    known.graph!.node[0]!.$unknown = [{ no: 6, wireType: 2, data: Uint8Array.of(3, 100, 111, 99) }];
    const { model: out } = rewritten(toBinary(ModelProtoSchema, known), new Set(['w']));
    expect(out.$unknown).toEqual(known.$unknown);
    expect(out.graph!.node[0]!.$unknown).toEqual(known.graph!.node[0]!.$unknown);
  });
});
