import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildModel, external, floats, integers, node, type ModelParts } from './onnx/build-model.ts';
import { bindWeights as bindHeaders, tensorsToDigest } from './bind-weights.ts';
import type { BindRequest, KnownBytes } from './binding/bind-request.ts';
import { pairByHeaders } from './binding/pair/pair-by-headers.ts';
import { describeGraph } from './describe-graph.ts';
import { digestInitializers } from './digest-initializers.ts';
import { memoryGraphSource } from './onnx/graph-source.ts';
import { transposeBytes } from './elements/transpose-bytes.ts';
import type { CheckpointTensor } from './weight-binding.ts';

function modelWith(...initializers: NonNullable<ModelParts['initializers']>) {
  return buildModel({ nodes: [node('Identity', ['x'], ['y'])], initializers, outputs: [] });
}

function graphWith(...initializers: NonNullable<ModelParts['initializers']>) {
  return describeGraph(modelWith(...initializers));
}

function tensor(name: string, shape: number[], dtype: CheckpointTensor['dtype'] = 'F32'): CheckpointTensor {
  return { name, shape, dtype };
}

function digestsOf(values: Record<string, number[]>): Map<string, string> {
  return new Map(
    Object.entries(values).map(([name, numbers]) => [
      name,
      createHash('sha256')
        .update(new Uint8Array(Float32Array.from(numbers).buffer))
        .digest('hex'),
    ]),
  );
}

const bindWeights = (request: BindRequest) => bindHeaders(pairByHeaders(request));

/** Like `bindWeights`, with the digests of the initializers' contents. */
async function bindByContent(
  initializers: NonNullable<ModelParts['initializers']>,
  { digests = new Map(), ...request }: Omit<BindRequest, 'graph'> & KnownBytes,
) {
  const bytes = modelWith(...initializers);
  const headers = pairByHeaders({ ...request, graph: describeGraph(bytes) });
  return bindHeaders(headers, {
    digests,
    contents: await digestInitializers(memoryGraphSource(bytes), headers, digests),
  });
}

const plain = (name: string) => ({ tensor: name, transpose: false });

describe('bindWeights', () => {
  test('by name, across floating types; integers are left alone, and constants that the eval set declares', () => {
    const bound = bindWeights({
      graph: graphWith(floats('w', [2, 2], [1, 2, 3, 4]), floats('table', [2], [0, 1]), integers('n', [1], [1])),
      tensors: [tensor('w', [2, 2], 'BF16'), tensor('n', [1], 'I64')],
      constants: ['tab*'],
    });
    expect(bound).toMatchObject({
      binding: { w: plain('w') },
      unusedTensors: ['n'],
      constants: ['table'],
      report: { declared: ['table'] },
    });
  });

  test('by name, transposed if only that fits', () => {
    const graph = graphWith(floats('w', [2, 3], [1, 2, 3, 4, 5, 6]));
    expect(bindWeights({ graph, tensors: [tensor('w', [3, 2])] }).binding).toEqual({
      w: { tensor: 'w', transpose: true },
    });
  });

  test('by the map first, with transpose', () => {
    const request = {
      graph: graphWith(floats('MatMul_7', [2, 3], [1, 2, 3, 4, 5, 6])),
      tensors: [tensor('fc.weight', [3, 2])],
    };
    expect(
      bindWeights({ ...request, tensorMap: { MatMul_7: { tensor: 'fc.weight', transpose: true } } }).binding,
    ).toEqual({
      MatMul_7: { tensor: 'fc.weight', transpose: true },
    });
    expect(() => bindWeights({ ...request, tensorMap: { MatMul_7: { tensor: 'fc.weight' } } })).toThrow(
      expect.objectContaining({ code: 'eval-input-mismatch' }),
    );
    expect(() => bindWeights({ ...request, tensorMap: { MatMul_7: { tensor: 'gone' } } })).toThrow(
      expect.objectContaining({ code: 'graph-missing-weights' }),
    );
    expect(() => bindWeights({ ...request, tensorMap: { nobody: { tensor: 'fc.weight' } } })).toThrow(
      expect.objectContaining({ code: 'eval-input-mismatch' }),
    );
  });

  test('by equal bytes, as they are or transposed', async () => {
    const initializers = [floats('onnx::1', [2, 2], [1, 2, 3, 4]), floats('onnx::2', [2, 3], [1, 2, 3, 4, 5, 6])];
    const graph = graphWith(...initializers);
    const tensors = [tensor('a', [2, 2]), tensor('b', [3, 2]), tensor('c', [3, 2])];
    expect(tensorsToDigest(pairByHeaders({ graph, tensors }))).toEqual(['a', 'b', 'c']);
    const digests = digestsOf({ a: [1, 2, 3, 4], b: [1, 4, 2, 5, 3, 6], c: [9, 9, 9, 9, 9, 9] });
    expect(await bindByContent(initializers, { tensors, digests })).toMatchObject({
      binding: { 'onnx::1': plain('a'), 'onnx::2': { tensor: 'b', transpose: true } },
      unusedTensors: ['c'],
      constants: [],
    });
  });

  test('of bit-identical tensors that share one initializer the first in natural order fills it', async () => {
    const tensors = [tensor('bn.10.bias', [2]), tensor('bn.2.bias', [2]), tensor('own', [1, 2])];
    const bindMerged = (values: number[]) =>
      bindByContent([floats('merged', [2], values), floats('own', [1, 2], [1, 2])], {
        tensors,
        digests: digestsOf({ 'bn.10.bias': values, 'bn.2.bias': values }),
      });
    const bound = await bindMerged([3, 4]);
    expect([bound.binding, bound.unusedTensors]).toEqual([
      { own: plain('own'), merged: plain('bn.2.bias') },
      ['bn.10.bias'],
    ]);
    await expect(bindMerged([0, 0])).rejects.toMatchObject({
      code: 'graph-missing-weights',
      message: expect.stringContaining('"merged"'),
    });
  });

  test('several initializers of the bytes of one tensor are that tensor, but not if several tensors fit', async () => {
    const twin = (name: string) => floats(name, [2], [3, 4]);
    const tensors = [tensor('l.10', [2]), tensor('l.9', [2]), tensor('named', [2])];
    const one = digestsOf({ 'l.10': [3, 4], 'l.9': [5, 6], named: [7, 8] });
    expect(
      (await bindByContent([twin('first'), floats('named', [2], [7, 8]), twin('second')], { tensors, digests: one }))
        .binding,
    ).toEqual({
      named: plain('named'),
      first: plain('l.10'),
      second: plain('l.10'),
    });
    const both = digestsOf({ 'l.10': [3, 4], 'l.9': [3, 4], named: [7, 8] });
    await expect(
      bindByContent([twin('first'), floats('named', [2], [7, 8]), twin('second')], { tensors, digests: both }),
    ).rejects.toMatchObject({
      code: 'graph-missing-weights',
      message: expect.stringContaining('"first", "second"'),
    });
  });

  test('constant content matches only if one initializer and one tensor are left', async () => {
    const zeros = (name: string) => floats(name, [2], [0, 0]);
    const digests = digestsOf({ a: [0, 0], b: [0, 0] });
    expect(
      (await bindByContent([zeros('a'), zeros('onnx::1')], { tensors: [tensor('a', [2]), tensor('b', [2])], digests }))
        .binding,
    ).toEqual({
      a: plain('a'),
      'onnx::1': plain('b'),
    });
    await expect(
      bindByContent([zeros('onnx::1'), zeros('onnx::2')], { tensors: [tensor('a', [2]), tensor('b', [2])], digests }),
    ).rejects.toMatchObject({
      code: 'graph-missing-weights',
    });
    await expect(
      bindByContent([zeros('a'), zeros('onnx::1')], { tensors: [tensor('a', [2])], digests }),
    ).rejects.toMatchObject({
      code: 'graph-missing-weights',
    });
  });

  test('external initializers must be filled; the message names the first that are not', () => {
    const graph = graphWith(external('w', [2]), external('v', [2]), external('shape', [1], 'I64'));
    expect(() => bindWeights({ graph, tensors: [tensor('w', [2])] })).toThrow(
      expect.objectContaining({ code: 'graph-missing-weights', message: expect.stringContaining('"v", "shape"') }),
    );
    const bound = bindWeights({ graph, tensors: [tensor('w', [2]), tensor('v', [2]), tensor('shape', [1], 'I64')] });
    expect(Object.keys(bound.binding)).toEqual(['w', 'v', 'shape']);
  });

  test.each([
    ['another shape', tensor('w', [4])],
    ['integers', tensor('w', [2, 3], 'I32')],
  ])('a tensor of the right name but %s is refused', (_, wrong) => {
    expect(() => bindWeights({ graph: graphWith(floats('w', [2, 3], [1, 2, 3, 4, 5, 6])), tensors: [wrong] })).toThrow(
      expect.objectContaining({ code: 'eval-input-mismatch' }),
    );
  });

  test('a graph that uses nothing of the checkpoint is refused: its metrics would pass anything', () => {
    expect(() => bindWeights({ graph: graphWith(floats('baked', [2], [1, 2])), tensors: [tensor('w', [4])] })).toThrow(
      expect.objectContaining({ code: 'graph-missing-weights' }),
    );
  });

  test('a stored matrix of the shape of an unused tensor is refused: the metrics would not see that weight', () => {
    const folded = floats('onnx::Conv_7', [16, 8, 3, 3], Array<number>(1152).fill(1));
    const graph = graphWith(folded, floats('fc', [2], [1, 2]));
    const fc = tensor('fc', [2]);
    expect(() => bindWeights({ graph, tensors: [fc, tensor('conv.weight', [16, 8, 3, 3], 'BF16')] })).toThrow(
      expect.objectContaining({ code: 'graph-missing-weights', message: expect.stringContaining('"conv.weight"') }),
    );
    const others = { graph, tensors: [fc, tensor('conv.weight', [8, 8, 3, 3])] };
    expect(() => bindWeights(others)).toThrow(
      expect.objectContaining({
        code: 'graph-missing-weights',
        message: expect.stringContaining('"constants":["onnx::Conv_7"]'),
      }),
    );
    expect(bindWeights({ ...others, constants: ['onnx::Conv_7'] }).constants).toEqual(['onnx::Conv_7']);
    expect(
      bindWeights({
        graph,
        tensors: [fc, tensor('conv.weight', [16, 8, 3, 3])],
        tensorMap: { 'onnx::Conv_7': { tensor: 'conv.weight' } },
      }).constants,
    ).toEqual([]);
  });

  test('names that objects inherit are names like any other', () => {
    const graph = graphWith(floats('__proto__', [2], [1, 2]), floats('constructor', [2], [1, 2]));
    const { binding } = bindWeights({ graph, tensors: [tensor('__proto__', [2]), tensor('constructor', [2])] });
    expect(Object.keys(binding)).toEqual(['__proto__', 'constructor']);
  });
});

describe('transposeBytes', () => {
  test('moves element [r, c] to [c, r] for every size, aligned or not, and is its own inverse', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 70 }),
        fc.integer({ min: 0, max: 70 }),
        fc.constantFrom(1, 2, 4, 8),
        fc.nat(7),
        (rows, columns, elementBytes, offset) => {
          const bytes = Uint8Array.from(
            { length: offset + rows * columns * elementBytes },
            (_, at) => (at * 131) % 251,
          ).subarray(offset);
          const turned = transposeBytes(bytes, { rows, columns, elementBytes });
          const element = (row: number, column: number) =>
            bytes.subarray((row * columns + column) * elementBytes, (row * columns + column + 1) * elementBytes);
          const naive = Array.from({ length: rows * columns }, (_, at) => element(at % rows, Math.floor(at / rows)));
          expect(Buffer.compare(turned, Buffer.concat(naive))).toBe(0);
          expect(Buffer.compare(transposeBytes(turned, { rows: columns, columns: rows, elementBytes }), bytes)).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('takes an unaligned part of a Node buffer, whose slice is no copy', () => {
    const held = Buffer.alloc(16 + 1);
    held.set(new Uint8Array(Float32Array.of(1, 2, 3, 4).buffer), 1);
    const turned = transposeBytes(held.subarray(1), { rows: 2, columns: 2, elementBytes: 4 });
    expect([...new Float32Array(turned.buffer, turned.byteOffset, 4)]).toEqual([1, 3, 2, 4]);
  });
});
