import type { LayerType } from '../../checkpoint/layer-type.ts';
import type { GraphDescription, GraphInitializer } from '../describe-graph.ts';
import { subgraphsOf } from '../onnx/graph-walk.ts';
import { effectiveRank, layerTypeOf } from './layer-type-of.ts';
import { isFloatDtype } from '../onnx/onnx-dtype.ts';
import type { GraphProto, NodeProto } from '../onnx/onnx_pb.ts';
import { inputRole, passesWeightThrough, type InputRole } from './operator-roles.ts';

/** A weight used in several ways has the first of these types: a tied embedding stays an embedding. */
export const layerTypePriority: readonly LayerType[] = ['embedding', 'convolution', 'linear', 'norm', 'bias', 'buffer'];

/** Most weights that one value may combine (through Concat); further ones are judged by their names. */
const originsMax = 16;

type Origins = Map<string, readonly GraphInitializer[]>;

/**
 * The layer type of each initializer that a known operator consumes, followed through Transpose, Cast, Reshape and the
 * like, and into subgraphs. Initializers used only by unknown operators or as activations are absent: their names
 * decide. Cost: one pass over the nodes.
 */
export function layerTypesFromGraph(graph: GraphDescription): ReadonlyMap<string, LayerType> {
  const origins: Origins = new Map(graph.initializers.map((initializer) => [initializer.name, [initializer]]));
  const types = new Map<string, LayerType>();
  visitGraph(graph.model.graph, origins, types);
  return types;
}

function visitGraph(graph: GraphProto, origins: Origins, types: Map<string, LayerType>): void {
  for (const node of graph.node) {
    recordUses(node, origins, types);
    if (passesWeightThrough(node.domain, node.opType)) carryOrigins(node, origins);
    for (const subgraph of subgraphsOf(node)) visitGraph(subgraph, origins, types);
  }
}

function recordUses(node: NodeProto, origins: Origins, types: Map<string, LayerType>): void {
  for (const [index, name] of node.input.entries()) {
    const role = inputRole(node.domain, node.opType, index);
    if (role === undefined || role === 'activation') continue;
    for (const initializer of origins.get(name) ?? []) {
      const type = typeInRole(role, node.opType, initializer);
      types.set(initializer.name, strongest([types.get(initializer.name), type]));
    }
  }
}

function carryOrigins(node: NodeProto, origins: Origins): void {
  const sources = node.opType === 'Concat' ? node.input : node.input.slice(0, 1);
  const carried = new Set(sources.flatMap((name) => origins.get(name) ?? []));
  if (carried.size === 0) return;
  const list = [...carried].slice(0, originsMax);
  for (const output of node.output) origins.set(output, list);
}

function typeInRole(role: Exclude<InputRole, 'activation'>, opType: string, initializer: GraphInitializer): LayerType {
  const { name, shape, dtype } = initializer;
  if (!isFloatDtype(dtype)) return 'buffer';
  if (role !== 'elementwise') return role === 'embedding' && effectiveRank(shape) < 2 ? 'buffer' : role;
  const byName = layerTypeOf(name, shape, dtype);
  if (effectiveRank(shape) < 2)
    return byName === 'buffer' || byName === 'norm' ? byName : opType === 'Add' || opType === 'Sub' ? 'bias' : 'norm';
  // A table added to activations, such as learned positions, is an embedding; a factor of more than one dimension is
  // judged by its name.
  return opType === 'Add' && byName !== 'buffer' ? 'embedding' : byName;
}

/** The first of the given types in order of priority; `buffer` when there is none. */
export function strongest(types: readonly (LayerType | undefined)[]): LayerType {
  return layerTypePriority.find((type) => types.includes(type)) ?? 'buffer';
}
