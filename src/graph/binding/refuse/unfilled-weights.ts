import type { Dtype } from '../../../checkpoint/dtype.ts';
import type { GraphInitializer } from '../../describe-graph.ts';
import { isFloatDtype } from '../../onnx/onnx-dtype.ts';
import type { CheckpointTensor, WeightBinding } from '../../weight-binding.ts';
import type { KnownBytes } from '../bind-request.ts';
import { fits } from '../pair/fit.ts';
import type { HeaderPairs } from '../pair/pair-by-headers.ts';
import { hiddenConstants, type HiddenConstant } from './hidden-constants.ts';
import { byElementCount } from '../describe/tensor-groups.ts';
import { isFirstState, isWeightless } from './weightless-inputs.ts';

/** Numbers of a graph that no tensor fills although they may be weights. */
export interface Unfilled {
  /** Initializers and Constants with names of their own: a tensor map could fill them. In file order. */
  readonly initializers: readonly GraphInitializer[];
  /** Stored in eight bits or fewer, and of the size of an unused floating tensor: weights of a quantized graph. */
  readonly quantized: readonly GraphInitializer[];
  /** Numbers that no map can reach. */
  readonly hidden: readonly HiddenConstant[];
  /** Names of single numbers, if a tensor of one element is left over. */
  readonly scalars: readonly string[];
  /** Floating tensors of the checkpoint that fill no initializer, in checkpoint order. */
  readonly unused: readonly CheckpointTensor[];
  /** Initializers whose tensor in the binding is missing in the checkpoint, or does not fit in shape and type. */
  readonly gone: readonly string[];
}

/**
 * Finds the numbers that a binding leaves to the graph itself, without reading bytes except through `plain`. Leaves out
 * constants that the eval set declares, operands that are no weights, additive masks, and initial zeros of recurrent
 * layers (unless a tensor of that size is left over). Cost: a pass over the model and the tensors.
 */
export function unfilledWeights(
  headers: HeaderPairs,
  binding: WeightBinding,
  plain: NonNullable<KnownBytes['plain']>,
): Unfilled {
  const { graph, tensors, trace, isConstant } = headers;
  const unused = unusedTensors(tensors, binding);
  const unusedCounts = byElementCount(unused);
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const bound = graph.initializers.filter((each) => Object.hasOwn(binding, each.name));
  const gone = bound.filter((each) => {
    const tensor = byName.get(binding[each.name]!.tensor);
    return tensor === undefined || !fits(each, tensor, binding[each.name]!.transpose);
  });
  const isHarmless = (each: GraphInitializer) =>
    isConstant(each.name) ||
    plain.get(each.name) === 'mask' ||
    isWeightless(trace, each.name) ||
    (plain.get(each.name) === 'zeros' && !unusedCounts.has(each.elementCount) && isFirstState(trace, each.name));
  const open = graph.initializers.filter((each) => !Object.hasOwn(binding, each.name));
  const hidden = hiddenConstants(graph.model).filter(
    (each) => !isConstant(each.name) && !isWeightless(trace, each.name),
  );
  const single = open.filter(
    (each) => isFloatDtype(each.dtype) && !each.external && each.elementCount === 1 && !isHarmless(each),
  );
  return {
    initializers: open.filter(
      (each) => each.external || (isFloatDtype(each.dtype) && each.elementCount > 1 && !isHarmless(each)),
    ),
    quantized: open.filter(
      (each) =>
        isNarrow(each.dtype) && each.elementCount > 1 && !isConstant(each.name) && unusedCounts.has(each.elementCount),
    ),
    hidden: hidden.filter((each) => each.elementCount > 1),
    scalars: unusedCounts.has(1)
      ? [...single, ...hidden.filter((each) => each.elementCount === 1)].map((each) => each.name)
      : [],
    unused,
    gone: gone.map((each) => each.name),
  };
}

/** Types of quantized weights; 4-bit types and 8-bit floats have no name here. */
function isNarrow(dtype: Dtype | undefined): boolean {
  return dtype === undefined || dtype === 'I8' || dtype === 'U8';
}

/** Floating tensors that a binding does not use. */
function unusedTensors(tensors: readonly CheckpointTensor[], binding: WeightBinding): CheckpointTensor[] {
  const used = new Set(Object.values(binding).map((source) => source.tensor));
  return tensors.filter((tensor) => isFloatDtype(tensor.dtype) && !used.has(tensor.name));
}
