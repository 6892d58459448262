import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  buildModel,
  external,
  floats,
  intAttribute,
  intsAttribute,
  node,
  value,
  type ModelParts,
} from '../../graph/onnx/build-model.ts';
import { AttributeProtoSchema } from '../../graph/onnx/onnx_pb.ts';
import { loadCore } from '../../native/load-core.ts';
import { createEvaluator } from '../create-evaluator.ts';
import { EvalFiles, f32, i64, type Column } from '../eval-files.test-support.ts';
import { EvaluationService } from '../evaluation-service.ts';
import type { GramOptions, GramRequest } from '../evaluation-request.ts';
import type { InputGram } from '../../graph/grams/input-gram.ts';
import type { WeightBinding } from '../../graph/weight-binding.ts';

let folder: string;
let files: EvalFiles;
const service = new EvaluationService(loadCore({ threads: 1 }));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firn-grams-'));
  files = new EvalFiles(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A graph, its inputs, and its weights; the binding for Gram matrices is by name. */
interface Case {
  readonly model: ModelParts;
  readonly batches: Readonly<Record<string, Column>>;
  readonly weights: Readonly<Record<string, Column>>;
  readonly binding?: WeightBinding;
  readonly batchRows?: number;
  readonly bytesMax?: number;
  readonly batchesMax?: number;
  readonly firstHalf?: boolean;
}

function requestOf({
  model,
  batches,
  weights,
  binding,
  batchRows = 2,
  bytesMax = 2 ** 20,
  batchesMax,
  firstHalf,
}: Case): GramRequest {
  const inputs = Object.fromEntries(Object.keys(batches).map((name) => [name, name]));
  const spec = { inputs, batchRows, metrics: [{ name: 'l', kind: 'loss' as const, output: model.outputs[0]!.name! }] };
  return {
    evalSet: { graphPath: files.write(buildModel(model)), batchesPath: files.writeTensors(batches), spec },
    binding:
      binding ?? Object.fromEntries(Object.keys(weights).map((tensor) => [tensor, { tensor, transpose: false }])),
    weightPaths: [files.writeTensors(weights)],
    resultPath: files.path(),
    bytesMax,
    ...(batchesMax !== undefined && { batchesMax }),
    ...(firstHalf !== undefined && { firstHalf }),
  };
}

interface ReadGram extends InputGram {
  readonly values: readonly number[];
}

/** The Gram matrices of a result file, which must contain nothing else. */
function readGrams(grams: readonly InputGram[], path: string): ReadGram[] {
  const bytes = readFileSync(path);
  const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  let at = 0;
  const read = grams.map((gram) => {
    const start = at;
    at += gram.inputCount * gram.blockSize;
    return { ...gram, values: [...all.subarray(start, at)] };
  });
  expect(all.length).toBe(at);
  return read;
}

async function gramsOf(parts: Case): Promise<ReadGram[]> {
  const request = requestOf(parts);
  const alone = readGrams(await service.inputGrams(request), request.resultPath);
  if (alone.length > 0) await expectSameBeside(request);
  return alone;
}

/** Whether they can be measured in an examination, too; then with the same bytes, and the figures of an evaluation. */
async function expectSameBeside(request: GramRequest): Promise<boolean> {
  const { resultPath, bytesMax, batchesMax, firstHalf, ...examined } = request;
  const path = files.path();
  const grams: GramOptions = {
    resultPath: path,
    bytesMax,
    ...(batchesMax !== undefined && { batchesMax }),
    ...(firstHalf !== undefined && { firstHalf }),
  };
  const examination = await service.examine({ ...examined, grams });
  expect(examination.whole).toEqual(await service.evaluate(request));
  if (examination.grams === undefined) return false;
  expect(examination.grams).toEqual(await service.inputGrams(request));
  expect(readFileSync(path).equals(readFileSync(resultPath))).toBe(true);
  return true;
}

/** X^T X of rows one after the other, in doubles; only its diagonal blocks if a block size is given. */
function gramOfRows(rows: ArrayLike<number>, inputCount: number, blockSize = inputCount): number[] {
  const gram = new Array<number>(inputCount * blockSize).fill(0);
  for (let row = 0; row < rows.length; row += inputCount) {
    for (let i = 0; i < inputCount; i++) {
      const blockStart = i - (i % blockSize);
      for (let j = 0; j < blockSize; j++) gram[i * blockSize + j]! += rows[row + i]! * rows[row + blockStart + j]!;
    }
  }
  return gram;
}

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  const scale = Math.max(...expected.map(Math.abs));
  expect(actual.length).toBe(expected.length);
  expect(Math.max(...actual.map((each, at) => Math.abs(each - expected[at]!)))).toBeLessThan(scale * 1e-5);
}

/** Multiples of 1/16 in [-2, 2), which are exact in float16. */
function pattern(count: number, seed = 1): number[] {
  return Array.from({ length: count }, (_, at) => (((at + 7 * seed) * 37 + at * at * 11) % 64) / 16 - 2);
}

const filled = (...shape: number[]): Column =>
  f32(
    shape,
    ...pattern(
      shape.reduce((product, dim) => product * dim, 1),
      3,
    ),
  );

/** Words of float16 for multiples of 1/16 in [-2, 2). */
function float16(values: readonly number[]): Uint16Array {
  return Uint16Array.from(values, (each) => {
    if (each === 0) return 0;
    const exponent = Math.floor(Math.log2(Math.abs(each)));
    return (each < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | Math.round((Math.abs(each) / 2 ** exponent - 1) * 1024);
  });
}

const inputCount = 6;
const rowCount = 5;
const x = f32([rowCount, inputCount], ...pattern(rowCount * inputCount));
const xGram = gramOfRows(pattern(rowCount * inputCount), inputCount);

/** y of x [N, 6] by these nodes. */
function linear(nodes: ModelParts['nodes'], initializers: ModelParts['initializers'] = []): ModelParts {
  return { inputs: [value('x', ['N', inputCount])], outputs: [value('y', ['N', 'M'])], nodes, initializers };
}

describe('grams of matrices', () => {
  const transposed = node('Transpose', ['w'], ['wt'], [intsAttribute('perm', [1, 0])]);
  const out = external('w', [4, inputCount]);
  const into = external('w', [inputCount, 4]);
  test.each<[string, ModelParts, InputGram['inputs'], Partial<Case>]>([
    ['Gemm with transB', linear([node('Gemm', ['x', 'w'], ['y'], [intAttribute('transB', 1)])], [out]), 'last', {}],
    ['Gemm', linear([node('Gemm', ['x', 'w'], ['y'])], [into]), 'first', {}],
    ['MatMul', linear([node('MatMul', ['x', 'w'], ['y'])], [into]), 'first', {}],
    ['MatMul of a transposed weight', linear([transposed, node('MatMul', ['x', 'wt'], ['y'])], [out]), 'last', {}],
    [
      'Transpose without perm',
      linear([node('Transpose', ['w'], ['wt']), node('MatMul', ['x', 'wt'], ['y'])], [out]),
      'last',
      {},
    ],
    [
      'Transpose that keeps the order',
      linear(
        [node('Transpose', ['w'], ['wt'], [intsAttribute('perm', [0, 1])]), node('MatMul', ['x', 'wt'], ['y'])],
        [into],
      ),
      'first',
      {},
    ],
    [
      'Gemm with transB of a transposed weight',
      linear([transposed, node('Gemm', ['x', 'wt'], ['y'], [intAttribute('transB', 1)])], [into]),
      'first',
      {},
    ],
    [
      'a weight through Identity and Cast',
      linear(
        [
          node('Identity', ['w'], ['i']),
          node('Cast', ['i'], ['c'], [intAttribute('to', 1)]),
          node('MatMul', ['x', 'c'], ['y']),
        ],
        [into],
      ),
      'first',
      {},
    ],
    [
      'a bfloat16 weight',
      linear(
        [node('Cast', ['w'], ['c'], [intAttribute('to', 1)]), node('MatMul', ['x', 'c'], ['y'])],
        [external('w', [inputCount, 4], 'BF16')],
      ),
      'first',
      {},
    ],
    [
      'a tensor that the checkpoint stores the other way round',
      linear([node('MatMul', ['x', 'w'], ['y'])], [into]),
      'last',
      { weights: { fc: filled(4, inputCount) }, binding: { w: { tensor: 'fc', transpose: true } } },
    ],
    [
      'an old model, whose weights are inputs too',
      { ...linear([node('MatMul', ['x', 'w'], ['y'])], [floats('w', [inputCount, 4], pattern(24))]), opset: 9 },
      'first',
      {},
    ],
  ])('%s', async (_, model, inputs, rest) => {
    const shape = model.initializers![0]!.dims!.map(Number);
    const grams = await gramsOf({ model, batches: { x }, weights: { w: filled(...shape) }, ...rest });
    expect(grams.map(({ values: _values, ...gram }) => gram)).toEqual([
      { tensor: rest.binding?.['w']?.tensor ?? 'w', inputs, inputCount, blockSize: inputCount },
    ]);
    expectClose(grams[0]!.values, xGram);
  });

  test('every leading axis of an activation counts as rows, and operators in between are applied', async () => {
    const model: ModelParts = {
      inputs: [value('x', ['N', 3, 4])],
      outputs: [value('y', ['N', 3, 2])],
      initializers: [external('w', [4, 2])],
      nodes: [node('Relu', ['x'], ['r']), node('MatMul', ['r', 'w'], ['y'])],
    };
    const values = pattern(5 * 12);
    const [gram] = await gramsOf({ model, batches: { x: f32([5, 3, 4], ...values) }, weights: { w: filled(4, 2) } });
    const positive = values.map((each) => Math.max(each, 0));
    expectClose(gram!.values, gramOfRows(positive, 4));
  });

  test('a float16 graph is summed in float', async () => {
    const model: ModelParts = {
      inputs: [value('x', ['N', inputCount], 'F16')],
      outputs: [value('y', ['N', 4], 'F16')],
      initializers: [external('w', [inputCount, 4], 'F16')],
      nodes: [node('MatMul', ['x', 'w'], ['y'])],
    };
    const batches = {
      x: { dtype: 'F16' as const, shape: [rowCount, inputCount], data: float16(pattern(rowCount * inputCount)) },
    };
    const [gram] = await gramsOf({ model, batches, weights: { w: filled(inputCount, 4) } });
    expectClose(gram!.values, xGram);
  });

  test('weights behind one activation have the same gram; a weight used twice has the sum', async () => {
    const model = linear(
      [
        node('MatMul', ['x', 'q'], ['a']),
        node('MatMul', ['x', 'k'], ['b']),
        node('Add', ['a', 'b'], ['c']),
        node('MatMul', ['c', 'twice'], ['d']),
        node('MatMul', ['x', 'twice'], ['e']),
        node('Add', ['d', 'e'], ['y']),
      ],
      [external('q', [6, 6]), external('k', [6, 6]), external('twice', [6, 6])],
    );
    const identity = f32([6, 6], ...Array.from({ length: 36 }, (_, at) => (at % 7 === 0 ? 1 : 0)));
    const grams = await gramsOf({ model, batches: { x }, weights: { q: identity, k: identity, twice: identity } });
    expect(grams.map((gram) => gram.tensor)).toEqual(['q', 'k', 'twice']);
    expect(grams[1]!.values).toEqual(grams[0]!.values);
    expectClose(grams[0]!.values, xGram);
    // c = 2 x, so its gram is four times that of x.
    expectClose(
      grams[2]!.values,
      xGram.map((each) => 5 * each),
    );
  });

  test('an embedding tied to the last matrix has the gram of that', async () => {
    const model: ModelParts = {
      inputs: [value('ids', ['N', 2], 'I64')],
      outputs: [value('y', ['N', 2, 5])],
      initializers: [external('wte', [5, 3])],
      nodes: [
        node('Gather', ['wte', 'ids'], ['e']),
        node('Transpose', ['wte'], ['head']),
        node('MatMul', ['e', 'head'], ['y']),
      ],
    };
    const table = pattern(15, 3);
    const ids = [0, 4, 1, 1, 3, 0];
    const grams = await gramsOf({
      model,
      batches: { ids: i64([3, 2], ...ids) },
      weights: { wte: f32([5, 3], ...table) },
    });
    expect(grams.map(({ tensor, inputs }) => [tensor, inputs])).toEqual([['wte', 'last']]);
    const rows = ids.flatMap((id) => table.slice(id * 3, id * 3 + 3));
    expectClose(grams[0]!.values, gramOfRows(rows, 3));
  });

  test('two initializers filled from one tensor make one gram', async () => {
    const model = linear(
      [
        node('MatMul', ['x', 'a'], ['p']),
        node('Gemm', ['x', 'b'], ['q'], [intAttribute('transB', 1)]),
        node('Add', ['p', 'q'], ['y']),
      ],
      [external('a', [inputCount, 4]), external('b', [4, inputCount])],
    );
    const binding = { a: { tensor: 'w', transpose: true }, b: { tensor: 'w', transpose: false } };
    const grams = await gramsOf({ model, batches: { x }, weights: { w: filled(4, inputCount) }, binding });
    expect(grams.map(({ tensor, inputs }) => [tensor, inputs])).toEqual([['w', 'last']]);
    expectClose(
      grams[0]!.values,
      xGram.map((each) => 2 * each),
    );
  });
});

interface Convolution {
  readonly channels: number;
  readonly spatial: readonly number[];
  readonly kernel: readonly number[];
  readonly strides?: readonly number[];
  readonly dilations?: readonly number[];
  readonly pads?: readonly number[];
}

/** Every index of a shape, the last axis fastest. */
function indices(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (all, size) => all.flatMap((index) => Array.from({ length: size }, (_, at) => [...index, at])),
    [[]],
  );
}

/** The windows of a convolution as rows [channels * positions], straight from the operator's definition. */
function windowsOf(
  { channels, spatial, kernel, strides, dilations, pads }: Convolution,
  images: number,
  data: readonly number[],
): number[] {
  const stride = (axis: number) => strides?.[axis] ?? 1;
  const dilation = (axis: number) => dilations?.[axis] ?? 1;
  const begin = (axis: number) => pads?.[axis] ?? 0;
  const end = (axis: number) => pads?.[axis + kernel.length] ?? 0;
  const outputs = spatial.map(
    (size, axis) =>
      Math.floor((size + begin(axis) + end(axis) - dilation(axis) * (kernel[axis]! - 1) - 1) / stride(axis)) + 1,
  );
  const rows: number[] = [];
  for (const [image, ...position] of indices([images, ...outputs])) {
    for (const [channel, ...offset] of indices([channels, ...kernel])) {
      const source = position.map((at, axis) => at * stride(axis) + offset[axis]! * dilation(axis) - begin(axis));
      const inside = source.every((at, axis) => at >= 0 && at < spatial[axis]!);
      const flat = source.reduce((sum, at, axis) => sum * spatial[axis]! + at, image! * channels + channel!);
      rows.push(inside ? data[flat]! : 0);
    }
  }
  return rows;
}

function convolutionModel(
  { channels, spatial, kernel, strides, dilations, pads }: Convolution,
  ...extra: Parameters<typeof node>[3] & {}
): ModelParts {
  const lists = { strides, dilations, pads };
  const attributes = Object.entries(lists).flatMap(([name, list]) =>
    list === undefined ? [] : [intsAttribute(name, list)],
  );
  return {
    inputs: [value('x', ['N', channels, ...spatial])],
    outputs: [value('y', ['N', 2, ...spatial.map((_, axis) => `s${axis}`)])],
    initializers: [external('w', [2, channels, ...kernel])],
    nodes: [node('Conv', ['x', 'w'], ['y'], [...attributes, ...extra])],
  };
}

describe('grams of convolutions', () => {
  test.each<[string, Convolution]>([
    ['one dimension', { channels: 2, spatial: [9], kernel: [3] }],
    [
      'one dimension, everything set',
      { channels: 3, spatial: [11], kernel: [3], strides: [2], dilations: [2], pads: [1, 3] },
    ],
    ['two dimensions', { channels: 2, spatial: [5, 6], kernel: [3, 2] }],
    ['two dimensions, padded', { channels: 3, spatial: [4, 4], kernel: [3, 3], pads: [1, 1, 1, 1] }],
    [
      'two dimensions, everything set',
      { channels: 2, spatial: [7, 9], kernel: [2, 3], strides: [2, 3], dilations: [3, 2], pads: [1, 2, 0, 1] },
    ],
    ['three dimensions', { channels: 2, spatial: [3, 4, 3], kernel: [2, 2, 2], strides: [1, 2, 1] }],
    ['a window of one', { channels: 5, spatial: [3, 3], kernel: [1, 1] }],
    ['a window of one, strided', { channels: 5, spatial: [5, 4], kernel: [1, 1], strides: [2, 2] }],
    ['a window of one, padded', { channels: 3, spatial: [2], kernel: [1], pads: [1, 1] }],
    ['patches', { channels: 3, spatial: [8, 8], kernel: [4, 4], strides: [4, 4] }],
  ])('%s', async (_, convolution) => {
    const { channels, spatial, kernel } = convolution;
    const images = 5;
    const data = pattern(spatial.reduce((product, size) => product * size, images * channels));
    const weights = { w: filled(2, channels, ...kernel) };
    const grams = await gramsOf({
      model: convolutionModel(convolution),
      batches: { x: f32([images, channels, ...spatial], ...data) },
      weights,
    });
    const width = kernel.reduce((product, size) => product * size, channels);
    expect(grams.map(({ values: _values, ...gram }) => gram)).toEqual([
      { tensor: 'w', inputs: 'last', inputCount: width, blockSize: width },
    ]);
    expectClose(grams[0]!.values, gramOfRows(windowsOf(convolution, images, data), width));
  });
});

describe('weights without a Gram matrix', () => {
  const square = [external('w', [6, 6])];
  const stringAttribute = (name: string, text: string) => {
    const attribute = create(AttributeProtoSchema, { name, type: 3 });
    attribute.$unknown = [{ no: 4, wireType: 2, data: Uint8Array.of(text.length, ...new TextEncoder().encode(text)) }];
    return attribute;
  };
  const image = { x: f32([3, 2, 4, 4], ...pattern(96)) };
  const plain: Convolution = { channels: 2, spatial: [4, 4], kernel: [3, 3] };
  const grouped: ModelParts = {
    ...convolutionModel(plain, intAttribute('group', 2)),
    initializers: [external('w', [2, 1, 3, 3])],
  };

  test.each<[string, ModelParts, Partial<Case>]>([
    ['a grouped convolution', grouped, { batches: image, weights: { w: filled(2, 1, 3, 3) } }],
    [
      'a convolution that pads itself',
      convolutionModel(plain, stringAttribute('auto_pad', 'SAME_UPPER')),
      { batches: image, weights: { w: filled(2, 2, 3, 3) } },
    ],
    [
      'Gemm that transposes its input',
      linear([node('Gemm', ['x', 'w'], ['y'], [intAttribute('transA', 1)])], [external('w', [2, 4])]),
      { weights: { w: filled(2, 4) } },
    ],
    [
      'a weight that comes first',
      linear([node('Transpose', ['x'], ['t']), node('MatMul', ['w', 't'], ['y'])], square),
      {},
    ],
    [
      'an operator of another domain',
      linear([{ ...node('FusedMatMul', ['x', 'w'], ['y']), domain: 'com.microsoft' }], square),
      {},
    ],
    [
      'a weight that is computed with',
      linear([node('Relu', ['w'], ['r']), node('MatMul', ['x', 'r'], ['y'])], square),
      {},
    ],
    ['inputs that are not finite', linear([node('Log', ['x'], ['l']), node('MatMul', ['l', 'w'], ['y'])], square), {}],
    ['less room than the smallest blocks take', linear([node('MatMul', ['x', 'w'], ['y'])], square), { bytesMax: 100 }],
  ])('%s', async (_, model, rest) => {
    expect(await gramsOf({ model, batches: { x }, weights: { w: filled(6, 6) }, ...rest })).toEqual([]);
  });

  test('auto_pad that says NOTSET is none', async () => {
    const model = convolutionModel(plain, stringAttribute('auto_pad', 'NOTSET'));
    expect(await gramsOf({ model, batches: image, weights: { w: filled(2, 2, 3, 3) } })).toHaveLength(1);
  });

  test('others have theirs next to one that is not finite', async () => {
    const nodes = [
      node('Log', ['x'], ['l']),
      node('MatMul', ['l', 'bad'], ['m']),
      node('MatMul', ['x', 'good'], ['n']),
      node('Add', ['m', 'n'], ['y']),
    ];
    const model = linear(nodes, [external('bad', [6, 6]), external('good', [6, 6])]);
    const grams = await gramsOf({ model, batches: { x }, weights: { bad: filled(6, 6), good: filled(6, 6) } });
    expect(grams.map((gram) => gram.tensor)).toEqual(['good']);
    expectClose(grams[0]!.values, xGram);
  });
});

test('if not all fit, the largest matrices have blocks on the diagonal', async () => {
  const model: ModelParts = {
    inputs: [value('x', ['N', 16, 4])],
    outputs: [value('y', ['N', 2, 3])],
    initializers: [external('conv', [48, 16, 3]), external('wide', [48, 3])],
    nodes: [
      node('Conv', ['x', 'conv'], ['c'], [intsAttribute('pads', [1, 1])]),
      node('Relu', ['c'], ['r']),
      node('Transpose', ['r'], ['t'], [intsAttribute('perm', [0, 2, 1])]),
      node('MatMul', ['t', 'wide'], ['m']),
      node('Transpose', ['m'], ['y'], [intsAttribute('perm', [0, 2, 1])]),
    ],
  };
  const batches = { x: f32([5, 16, 4], ...pattern(320)) };
  const weights = { conv: filled(48, 16, 3), wide: filled(48, 3) };
  const whole = await gramsOf({ model, batches, weights });
  const blocks = await gramsOf({ model, batches, weights, bytesMax: 2 * 48 * 24 * 4 - 1 });
  expect(whole.map((gram) => gram.blockSize)).toEqual([48, 48]);
  expect(blocks.map((gram) => gram.blockSize)).toEqual([16, 16]);
  for (const [index, { values }] of blocks.entries()) {
    const expected = indices([48, 16]).map(([i, j]) => whole[index]!.values[i! * 48 + (i! - (i! % 16)) + j!]!);
    expectClose(values, expected);
  }
});

test.each([
  [1, [0, 1]],
  [2, [0, 1, 2, 3]],
  [3, [0, 1, 2, 3, 4]],
  [9, [0, 1, 2, 3, 4]],
])('at most %i batches of two rows are run', async (batchesMax, rows) => {
  const model = linear([node('MatMul', ['x', 'w'], ['y'])], [external('w', [6, 6])]);
  const [gram] = await gramsOf({ model, batches: { x }, weights: { w: filled(6, 6) }, batchesMax });
  const values = pattern(rowCount * inputCount);
  const expected = rows.flatMap((row) => values.slice(row * inputCount, (row + 1) * inputCount));
  expectClose(gram!.values, gramOfRows(expected, inputCount));
});

test('fewer batches are spread over the set', async () => {
  const model = linear([node('MatMul', ['x', 'w'], ['y'])], [external('w', [6, 6])]);
  const values = pattern(9 * inputCount);
  const batches = { x: f32([9, inputCount], ...values) };
  const [gram] = await gramsOf({ model, batches, weights: { w: filled(6, 6) }, batchRows: 1, batchesMax: 3 });
  const expected = [0, 3, 6].flatMap((row) => values.slice(row * inputCount, (row + 1) * inputCount));
  expectClose(gram!.values, gramOfRows(expected, inputCount));
});

test.each([
  [Infinity, [0, 2, 4, 6, 8]],
  [2, [0, 4]],
])('of the first half at most %d batches of one row are run, spread over it', async (batchesMax, rows) => {
  const model = linear([node('MatMul', ['x', 'w'], ['y'])], [external('w', [6, 6])]);
  const values = pattern(9 * inputCount);
  const batches = { x: f32([9, inputCount], ...values) };
  const [gram] = await gramsOf({
    model,
    batches,
    weights: { w: filled(6, 6) },
    batchRows: 1,
    batchesMax,
    firstHalf: true,
  });
  const expected = rows.flatMap((row) => values.slice(row * inputCount, (row + 1) * inputCount));
  expectClose(gram!.values, gramOfRows(expected, inputCount));
});

test('names that the graph has already are left alone', async () => {
  const nodes = [
    node('Relu', ['x'], ['firn_gram/0']),
    node('MatMul', ['firn_gram/0', 'w'], ['firn_gram/1']),
    node('Identity', ['firn_gram/1'], ['y']),
  ];
  const [gram] = await gramsOf({
    model: linear(nodes, [external('w', [6, 6])]),
    batches: { x },
    weights: { w: filled(6, 6) },
  });
  const positive = pattern(rowCount * inputCount).map((each) => Math.max(each, 0));
  expectClose(gram!.values, gramOfRows(positive, inputCount));
});

describe('in an examination', () => {
  test('measured beside the outputs, if these are computed as before', async () => {
    const nodes = [node('Relu', ['x'], ['r']), node('MatMul', ['r', 'w'], ['y'])];
    const model = linear(nodes, [external('w', [6, 6])]);
    expect(await expectSameBeside(requestOf({ model, batches: { x }, weights: { w: filled(6, 6) } }))).toBe(true);
  });

  test('not measured beside them if the runtime writes operators in another way, as it does convolutions', async () => {
    const request = requestOf({
      model: convolutionModel({ channels: 2, spatial: [4, 4], kernel: [3, 3] }),
      batches: { x: f32([3, 2, 4, 4], ...pattern(96)) },
      weights: { w: filled(2, 2, 3, 3) },
    });
    expect(await expectSameBeside(request)).toBe(false);
  });
});

describe('by a child', { timeout: 60_000 }, () => {
  test('the same bytes every time, also next to evaluations of the set; failures have their codes', async () => {
    const evaluator = createEvaluator({ parallel: 1, deadlineMs: 30_000, memoryMaxBytes: 2 ** 30 });
    try {
      const model = linear([node('MatMul', ['x', 'w'], ['y'])], [external('w', [6, 6])]);
      const request = requestOf({ model, batches: { x }, weights: { w: filled(6, 6) } });
      const before = await evaluator.evaluate(request);
      const grams = await evaluator.inputGrams(request);
      const bytes = readFileSync(request.resultPath);
      expectClose(readGrams(grams, request.resultPath)[0]!.values, xGram);
      expect(await evaluator.inputGrams(request)).toEqual(grams);
      expect(readFileSync(request.resultPath).equals(bytes)).toBe(true);
      expect(await evaluator.evaluate(request)).toEqual(before);
      await expect(evaluator.inputGrams({ ...request, weightPaths: [] })).rejects.toMatchObject({
        code: 'graph-missing-weights',
      });
      await expect(evaluator.inputGrams(request, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
    } finally {
      await evaluator.close();
    }
  });
});
