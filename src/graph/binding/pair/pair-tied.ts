import { countElements } from '../../../checkpoint/count-elements.ts';
import type { GraphInitializer } from '../../describe-graph.ts';
import { layerTypeOf } from '../../layers/layer-type-of.ts';
import { isFloatDtype } from '../../onnx/onnx-dtype.ts';
import type { CheckpointTensor } from '../../weight-binding.ts';
import { fitOf } from './fit.ts';
import type { Pair, Pairs } from './pair.ts';
import type { WeightTrace } from '../weight-trace.ts';

export interface TiedRequest {
  /** Initializers that no tensor fills yet. */
  readonly rest: readonly GraphInitializer[];
  /** Every initializer; the paired ones are needed too. */
  readonly initializers: readonly GraphInitializer[];
  readonly tensors: readonly CheckpointTensor[];
  /** Pairs found so far. */
  readonly pairs: Pairs;
  readonly trace: WeightTrace;
}

/**
 * Pairs an embedding that is also the output layer, if graph and checkpoint have one name each and these differ. Two
 * cases are certain enough without bytes. Either one unfilled initializer is both the table of a Gather and a factor of
 * a matrix product, and one tensor of its shape is left. Or the graph leaves the output layer open, one paired
 * embedding has its shape, and no tensor of its size is left.
 */
export function pairTied(request: TiedRequest): ReadonlyMap<string, Pair> {
  const { pairs, tensors } = request;
  const used = new Set([...pairs.values()].map((pair) => pair.tensor));
  const unused = tensors.filter((tensor) => !used.has(tensor.name) && isFloatDtype(tensor.dtype));
  return new Map([...underOneName(request, unused), ...leftOpen(request, unused)]);
}

/** The graph has one initializer for both uses, under the name that the checkpoint lacks. */
function underOneName({ rest, trace }: TiedRequest, unused: readonly CheckpointTensor[]): [string, Pair][] {
  const both = rest.filter(
    (each) => each.shape.length === 2 && isTable(trace, each.name) && isFactor(trace, each.name),
  );
  if (both.length !== 1) return [];
  const initializer = both[0]!;
  const fitting = unused.filter((tensor) => fitOf(initializer, tensor) !== undefined);
  const [tensor] = fitting;
  if (fitting.length !== 1 || !(isEmbeddingName(tensor!) || isHeadName(tensor!))) return [];
  return [
    [initializer.name, { tensor: tensor!.name, transpose: fitOf(initializer, tensor!) === 'transposed', by: 'tied' }],
  ];
}

/** The graph has two initializers, and does not contain the output layer's. */
function leftOpen(
  { rest, initializers, tensors, pairs, trace }: TiedRequest,
  unused: readonly CheckpointTensor[],
): [string, Pair][] {
  const heads = rest.filter(
    (each) =>
      each.external && each.shape.length === 2 && each.shape[0] !== each.shape[1] && isOutputLayer(trace, each.name),
  );
  if (heads.length !== 1) return [];
  const head = heads[0]!;
  if (unused.some((tensor) => countElements(tensor.shape) === head.elementCount)) return [];
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const tables = initializers.flatMap((each) => {
    const pair = pairs.get(each.name);
    const tensor = pair && byName.get(pair.tensor);
    return tensor !== undefined &&
      each.elementCount === head.elementCount &&
      fitOf(head, tensor) !== undefined &&
      isTable(trace, each.name)
      ? [tensor]
      : [];
  });
  const sources = new Set(tables);
  const [tensor] = sources;
  if (sources.size !== 1) return [];
  return [[head.name, { tensor: tensor!.name, transpose: fitOf(head, tensor!) === 'transposed', by: 'tied' }]];
}

/** Whether the table of a Gather. */
export function isTable(trace: WeightTrace, name: string): boolean {
  return trace.usesOf(name)?.some((use) => use.opType === 'Gather' && use.index === 0) ?? false;
}

const products: ReadonlySet<string> = new Set(['MatMul', 'Gemm']);

/** Whether a factor of a matrix product. */
export function isFactor(trace: WeightTrace, name: string): boolean {
  return trace.usesOf(name)?.some((use) => products.has(use.opType) && use.index < 2) ?? false;
}

/** Operators between the output layer's product and the output: its bias, its scale, its shape, its type. */
const afterProduct: ReadonlySet<string> = new Set([
  'Add',
  'Mul',
  'Div',
  'Tanh',
  'Reshape',
  'Squeeze',
  'Unsqueeze',
  'Cast',
  'Identity',
  'Slice',
  'Transpose',
]);

/** Most steps from a product to an output: more than any scale and bias need. */
const stepsMax = 8;

function isOutputLayer(trace: WeightTrace, name: string): boolean {
  return (
    trace
      .usesOf(name)
      ?.some((use) => products.has(use.opType) && use.index < 2 && reachesOutput(trace, use.node.output[0] ?? '')) ??
    false
  );
}

function reachesOutput(trace: WeightTrace, product: string): boolean {
  let value = product;
  for (let step = 0; step < stepsMax; step += 1) {
    if (trace.isModelOutput(value)) return true;
    const [next, ...others] = trace.consumersOf(value);
    if (next === undefined || others.length > 0 || !afterProduct.has(next.node.opType)) return false;
    value = next.node.output[0] ?? '';
  }
  return false;
}

function isEmbeddingName({ name, shape, dtype }: CheckpointTensor): boolean {
  return layerTypeOf(name, shape, dtype) === 'embedding';
}

/** Whether a tensor has a usual name of output layers. */
export function isHeadName({ name }: CheckpointTensor): boolean {
  return /(^|[._])(head|output|decoder|proj_out|unembed|classifier|fc_out)/i.test(name);
}
