import type { EvalSetSpec } from '../../src/checkpoint/quality/eval-set-spec.ts';
import type { Column, EvalFiles } from '../../src/evaluate/eval-files.test-support.ts';
import type { EvaluationRequest } from '../../src/evaluate/evaluation-request.ts';
import { buildModel, external, node, value } from '../../src/graph/onnx/build-model.ts';

export interface SyntheticShape {
  readonly width: number;
  readonly layers: number;
  /** Rows of the batches. */
  readonly positions: number;
  readonly classes: number;
  /** Rows fed at once; 256 when absent. */
  readonly batchRows?: number;
  /** Of the weights' file; the graph computes in F32. F32 when absent. */
  readonly dtype?: 'F32' | 'F16';
}

/**
 * A stack of matrix products with a head of class logits and random weights, and batches for it. The files are written
 * to the folder of `files`.
 */
export function syntheticRequest(
  files: EvalFiles,
  { width, layers, positions, classes, batchRows = 256, dtype = 'F32' }: SyntheticShape,
): EvaluationRequest {
  const names = Array.from({ length: layers }, (_, layer) => `w${layer}`);
  const graph = buildModel({
    inputs: [value('x', ['N', width])],
    outputs: [value('logits', ['N', classes])],
    initializers: [...names.map((name) => external(name, [width, width])), external('head', [width, classes])],
    nodes: [
      ...names.flatMap((name, layer) => [
        node('MatMul', [layer === 0 ? 'x' : `r${layer - 1}`, name], [`m${layer}`]),
        node('Relu', [`m${layer}`], [`r${layer}`]),
      ]),
      node('MatMul', [`r${layers - 1}`, 'head'], ['logits']),
    ],
  });
  const random = randomFloats();
  const floats = (shape: number[], scale: number): Column => ({
    dtype: 'F32',
    shape,
    data: random(shape[0]! * shape[1]!, scale),
  });
  // Halves of zero bits are zeros: what memory they take does not depend on their values.
  const weightsOf = (shape: number[], scale: number): Column =>
    dtype === 'F32' ? floats(shape, scale) : { dtype, shape, data: new Uint16Array(shape[0]! * shape[1]!) };
  const weights = Object.fromEntries([
    ...names.map((name) => [name, weightsOf([width, width], 1 / Math.sqrt(width))] as const),
    ['head', weightsOf([width, classes], 0.05)] as const,
  ]);
  const labels: Column = {
    dtype: 'I64',
    shape: [positions],
    data: BigInt64Array.from({ length: positions }, (_, at) => BigInt(at % classes)),
  };
  const spec: EvalSetSpec = {
    inputs: { x: 'x' },
    metrics: [{ name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'y' }],
    batchRows,
  };
  return {
    evalSet: {
      graphPath: files.write(graph),
      batchesPath: files.writeTensors({ x: floats([positions, width], 1), y: labels }),
      spec,
    },
    binding: Object.fromEntries([...names, 'head'].map((name) => [name, { tensor: name, transpose: false }])),
    weightPaths: [files.writeTensors(weights, true)],
  };
}

/** Uniform in -1 to 1, times a scale; the same for every case (xorshift32). */
function randomFloats(): (count: number, scale: number) => Float32Array {
  let state = 2463534242;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 2 ** 31;
  };
  return (count, scale) => Float32Array.from({ length: count }, () => scale * next());
}
