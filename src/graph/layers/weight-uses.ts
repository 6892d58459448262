import { convolutionUnfold, type Unfold } from './convolution-unfold.ts';
import type { GraphDescription, GraphInitializer } from '../describe-graph.ts';
import { isFloatDtype } from '../onnx/onnx-dtype.ts';
import type { NodeProto } from '../onnx/onnx_pb.ts';

/** A place in the main graph at which an activation is multiplied with an initializer as the matrix. */
export interface WeightUse {
  readonly initializer: string;
  /** The input value of the operator. */
  readonly activation: string;
  /** The axis of the inputs in the initializer as the graph declares it. */
  readonly inputs: 'first' | 'last';
  readonly inputCount: number;
  /** How a convolution cuts its activation into rows; undefined if the activation's last axis is the row. */
  readonly unfold: Unfold | undefined;
}

/** A weight followed from its initializer to its use. */
interface Carried {
  readonly initializer: GraphInitializer;
  readonly transposed: boolean;
}

/**
 * The uses of floating initializers as the second factor of MatMul (rank 2), as B of Gemm and as the kernel of an
 * ungrouped Conv, directly or through Transpose, Cast and Identity, in the order of the nodes. Other operators, other
 * domains and subgraphs are ignored. Cost: one pass over the nodes.
 */
export function weightUses(graph: GraphDescription): WeightUse[] {
  const carried = new Map<string, Carried>();
  for (const initializer of graph.initializers)
    if (isFloatDtype(initializer.dtype)) carried.set(initializer.name, { initializer, transposed: false });
  const uses: WeightUse[] = [];
  for (const node of graph.model.graph.node) {
    if (node.domain !== '' && node.domain !== 'ai.onnx') continue;
    const use = useIn(node, carried.get(node.input[1] ?? ''));
    if (use !== undefined) uses.push(use);
    const passed = passOn(node, carried.get(node.input[0] ?? ''));
    if (passed !== undefined && node.output.length === 1) carried.set(node.output[0]!, passed);
  }
  return uses;
}

function useIn(node: NodeProto, weight: Carried | undefined): WeightUse | undefined {
  const activation = node.input[0] ?? '';
  if (weight === undefined || activation === '') return undefined;
  switch (node.opType) {
    case 'MatMul':
      return matrixUse(activation, weight, false);
    case 'Gemm':
      return intOf(node, 'transA') === 0 ? matrixUse(activation, weight, intOf(node, 'transB') !== 0) : undefined;
    case 'Conv':
      return convolutionUse(node, activation, weight);
    default:
      return undefined;
  }
}

/** The operator multiplies with [in, out], or with [out, in] if it transposes. */
function matrixUse(
  activation: string,
  { initializer, transposed }: Carried,
  transposes: boolean,
): WeightUse | undefined {
  const { name, shape } = initializer;
  if (shape.length !== 2) return undefined;
  const inputs = transposed === transposes ? 'first' : 'last';
  return { initializer: name, activation, inputs, inputCount: shape[inputs === 'first' ? 0 : 1]!, unfold: undefined };
}

function convolutionUse(
  node: NodeProto,
  activation: string,
  { initializer, transposed }: Carried,
): WeightUse | undefined {
  const unfold = transposed ? undefined : convolutionUnfold(node, initializer.shape);
  if (unfold === undefined) return undefined;
  const inputCount = unfold.kernel.reduce((product, size) => product * size, unfold.channels);
  return { initializer: initializer.name, activation, inputs: 'last', inputCount, unfold };
}

function passOn(node: NodeProto, weight: Carried | undefined): Carried | undefined {
  if (weight === undefined) return undefined;
  if (node.opType === 'Cast' || node.opType === 'Identity') return weight;
  if (node.opType !== 'Transpose' || weight.initializer.shape.length !== 2) return undefined;
  const perm = node.attribute.find((attribute) => attribute.name === 'perm')?.ints ?? [1n, 0n];
  return { ...weight, transposed: weight.transposed !== (perm[0] === 1n) };
}

function intOf(node: NodeProto, name: string): number {
  return Number(node.attribute.find((attribute) => attribute.name === name)?.i ?? 0n);
}
