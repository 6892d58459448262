import type { Dtype } from '../../checkpoint/dtype.ts';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { buildSafetensorsHeader } from '../../checkpoint/safetensors/safetensors-header.ts';
import { buildModel, external, node, value } from '../../graph/onnx/build-model.ts';

/** One tensor of a test file. */
export interface TestTensor {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly data: ArrayBufferView;
}
export type TestTensors = Readonly<Record<string, TestTensor>>;

export const f32 = (shape: readonly number[], values: ArrayLike<number>): TestTensor => ({
  dtype: 'F32',
  shape,
  data: Float32Array.from(values),
});
export const i64 = (shape: readonly number[], values: readonly number[]): TestTensor => ({
  dtype: 'I64',
  shape,
  data: BigInt64Array.from(values.map(BigInt)),
});

/** The bytes of a safetensors file. */
export function safetensors(tensors: TestTensors, metadata: Readonly<Record<string, string>> = {}): Buffer {
  const { headerBytes } = buildSafetensorsHeader(
    Object.entries(tensors).map(([name, { dtype, shape }]) => ({ name, dtype, shape })),
    metadata,
  );
  return Buffer.concat([
    headerBytes,
    ...Object.values(tensors).map(({ data }) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  ]);
}

/**
 * Repeatable numbers, roughly normal with deviation 1 (a sum of four uniform ones from a linear congruential
 * generator).
 */
export function noise(count: number, seed: number): Float32Array {
  let state = Math.imul(seed + 1, 2654435761) >>> 0;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  return Float32Array.from({ length: count }, () => Math.sqrt(3) * (uniform() + uniform() + uniform() + uniform()));
}

const vocabulary = 32;
const width = 16;
const hidden = 32;
const rows = 64;
const shapes: Readonly<Record<string, readonly number[]>> = {
  'embed.weight': [vocabulary, width],
  'fc.weight': [width, hidden],
  'fc.bias': [hidden],
  'head.weight': [hidden, width],
};

/** Names of the tensors that are quantized: 512 elements each, one embedding and two linear layers. */
export const quantizedNames = ['embed.weight', 'fc.weight', 'head.weight'] as const;

/** Weights at a step of one trajectory: each step moves them a little. */
export function tinyWeights(step: number, seed = 0): TestTensors {
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape], i) => {
      const count = shape.reduce((product, size) => product * size, 1);
      const values = noise(count, 100 * seed + i).map((x) => 0.6 * x);
      for (let at = 1; at <= step; at += 1)
        noise(count, 1000 * at + 100 * seed + i).forEach((x, k) => {
          values[k] = values[k]! + 0.02 * x;
        });
      return [name, f32(shape, values)];
    }),
  );
}

/** Gradient averages of the quantized tensors. */
export function tinyGradients(step: number, scale = 0.01): TestTensors {
  return Object.fromEntries(
    quantizedNames.map((name, i) => {
      const shape = shapes[name]!;
      return [
        name,
        f32(
          shape,
          noise(shape[0]! * shape[1]!, 7777 + 10 * step + i).map((x) => scale * x),
        ),
      ];
    }),
  );
}

/** A token classifier: embedding, linear, bias, ReLU, linear. Its initializers have the tensors' names and are open. */
export function tinyGraph(): Uint8Array {
  return buildModel({
    inputs: [value('ids', ['N'], 'I64')],
    outputs: [value('logits', ['N', width])],
    initializers: Object.entries(shapes).map(([name, shape]) => external(name, shape)),
    nodes: [
      node('Gather', ['embed.weight', 'ids'], ['x']),
      node('MatMul', ['x', 'fc.weight'], ['m']),
      node('Add', ['m', 'fc.bias'], ['h']),
      node('Relu', ['h'], ['r']),
      node('MatMul', ['r', 'head.weight'], ['logits']),
    ],
  });
}

/** Tokens, and the classes that the weights of step 0 predict for them. */
export function tinyBatches(): Buffer {
  const ids = Array.from({ length: rows }, (_, row) => (7 * row) % vocabulary);
  const weights = Object.fromEntries(
    Object.entries(tinyWeights(0)).map(([name, { data }]) => [name, data as Float32Array]),
  );
  return safetensors({
    ids: i64([rows], ids),
    labels: i64(
      [rows],
      ids.map((id) => strongestClass(weights, id)),
    ),
  });
}

function strongestClass(weights: Readonly<Record<string, Float32Array>>, id: number): number {
  const embed = weights['embed.weight']!,
    fc = weights['fc.weight']!,
    bias = weights['fc.bias']!,
    head = weights['head.weight']!;
  const active = Array.from({ length: hidden }, (_, j) =>
    Math.max(0, bias[j]! + sumOver(width, (i) => embed[id * width + i]! * fc[i * hidden + j]!)),
  );
  const logits = Array.from({ length: width }, (_, k) => sumOver(hidden, (j) => active[j]! * head[j * width + k]!));
  return logits.indexOf(Math.max(...logits));
}

function sumOver(count: number, term: (i: number) => number): number {
  let sum = 0;
  for (let i = 0; i < count; i += 1) sum += term(i);
  return sum;
}

/** Cross-entropy and accuracy against those classes. */
export const tinySpec: EvalSetSpec = {
  inputs: { ids: 'ids' },
  metrics: [
    { name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'labels' },
    { name: 'accuracy', kind: 'accuracy', output: 'logits', labels: 'labels' },
  ],
  batchRows: 32,
};
