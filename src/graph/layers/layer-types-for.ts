import { FirnError } from '../../checkpoint/firn-error.ts';
import type { LayerType } from '../../checkpoint/layer-type.ts';
import type { GraphDescription } from '../describe-graph.ts';
import { layerTypeOf } from './layer-type-of.ts';
import { layerTypesFromGraph, strongest } from './layer-types-from-graph.ts';
import { quoteNames } from '../quote-names.ts';
import type { CheckpointTensor, WeightBinding } from '../weight-binding.ts';

export interface LayerTypeSources {
  readonly tensors: readonly CheckpointTensor[];
  readonly graph?: GraphDescription;
  /** From {@link bindWeights}; without it, initializers apply to the tensors of their own name. */
  readonly binding?: WeightBinding;
  /** Given at upload, by tensor name; these take precedence. */
  readonly overrides?: Readonly<Record<string, LayerType>>;
}

/**
 * The layer type of each tensor of a checkpoint: from the overrides, else from the graph's operators, else from name
 * and shape. {@link quantizedLayerType} decides whether it is quantized. Errors: `invalid-request` for an override of a
 * missing tensor.
 */
export function layerTypesFor(sources: LayerTypeSources): ReadonlyMap<string, LayerType> {
  const { tensors, overrides = {} } = sources;
  const known = new Set(tensors.map((tensor) => tensor.name));
  const strangers = Object.keys(overrides).filter((name) => !known.has(name));
  if (strangers.length > 0)
    throw new FirnError(
      'invalid-request',
      `Layer types are given for tensors the checkpoint does not have: ${quoteNames(strangers)}.`,
    );
  const fromGraph = typesByTensor(sources);
  return new Map(tensors.map((tensor) => [tensor.name, typeOf(tensor, overrides, fromGraph)]));
}

function typeOf(
  tensor: CheckpointTensor,
  overrides: Readonly<Record<string, LayerType>>,
  fromGraph: ReadonlyMap<string, LayerType>,
): LayerType {
  const override = Object.hasOwn(overrides, tensor.name) ? overrides[tensor.name] : undefined;
  return override ?? fromGraph.get(tensor.name) ?? layerTypeOf(tensor.name, tensor.shape, tensor.dtype);
}

function typesByTensor({ graph, binding }: LayerTypeSources): ReadonlyMap<string, LayerType> {
  const types = new Map<string, LayerType>();
  if (graph === undefined) return types;
  for (const [initializer, type] of layerTypesFromGraph(graph)) {
    const tensor =
      binding === undefined
        ? initializer
        : Object.hasOwn(binding, initializer)
          ? binding[initializer]!.tensor
          : undefined;
    if (tensor !== undefined) types.set(tensor, strongest([types.get(tensor), type]));
  }
  return types;
}
