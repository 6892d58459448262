import { describe, expect, test } from 'vitest';
import { buildModel, floats, graphAttribute, intAttribute, node, value, type ModelParts } from './onnx/build-model.ts';
import { outputComputations } from './output-computations.ts';

const scaled = (changes: Partial<ModelParts> = {}): ModelParts => ({
  inputs: [value('x', ['N', 4]), value('w', [4, 4])],
  outputs: [value('y', ['N', 4])],
  initializers: [floats('scale', [1], [2])],
  nodes: [
    node('Mul', ['x', 'scale'], ['s']),
    node('Gemm', ['s', 'w'], ['g'], [intAttribute('transB', 1)]),
    node('Relu', ['g'], ['y']),
  ],
  ...changes,
});
const digestOf = (parts: ModelParts): string | undefined => outputComputations(buildModel(parts))?.get('y');

describe('the computation of an output', () => {
  test('is the same under other names of values in between, and beside other outputs', () => {
    const renamed = scaled({
      initializers: [floats('c', [1], [2])],
      outputs: [value('y', ['N', 4]), value('more', ['N', 4])],
      nodes: [
        node('Mul', ['x', 'c'], ['t']),
        node('Neg', ['t'], ['more']),
        node('Gemm', ['t', 'w'], ['u'], [intAttribute('transB', 1)]),
        node('Relu', ['u'], ['y']),
      ],
    });
    expect(digestOf(renamed)).toBe(digestOf(scaled()));
    expect(digestOf(scaled())).toMatch(/^[0-9a-f]{64}$/);
  });

  const [mul, gemm, relu] = scaled().nodes!;
  test.each<[string, Partial<ModelParts>]>([
    ['constant', { initializers: [floats('scale', [1], [3])] }],
    ['shape of a constant', { initializers: [floats('scale', [1, 1], [2])] }],
    ['attribute', { nodes: [mul!, node('Gemm', ['s', 'w'], ['g'], [intAttribute('transB', 0)]), relu!] }],
    ['operator', { nodes: [mul!, gemm!, node('Tanh', ['g'], ['y'])] }],
    ['order of inputs', { nodes: [mul!, node('Gemm', ['w', 's'], ['g'], [intAttribute('transB', 1)]), relu!] }],
    ['merging of operators', { nodes: [mul!, node('FusedGemm', ['s', 'w'], ['y'], [intAttribute('transB', 1)])] }],
  ])('is another one with another %s', (_, changes) => {
    expect(digestOf(scaled(changes))).not.toBe(digestOf(scaled()));
  });

  test('is not known behind an operator with a graph of its own', () => {
    const branch: ModelParts = { nodes: [node('Relu', ['g'], ['z'])], outputs: [value('z', ['N', 4])] };
    const nodes = [mul!, gemm!, node('If', ['x'], ['y'], [graphAttribute('then_branch', branch)])];
    expect(digestOf(scaled({ nodes }))).toBeUndefined();
  });
});
