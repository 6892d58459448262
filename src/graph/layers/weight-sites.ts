import { graphsOf } from '../onnx/graph-walk.ts';
import type { GraphProto, NodeProto, TensorProto } from '../onnx/onnx_pb.ts';
import type { OnnxModel } from '../onnx/read-model.ts';

/** A tensor stored in a graph under a name that nodes read: an initializer, or a Constant node's output. */
export interface WeightSite {
  readonly name: string;
  readonly tensor: TensorProto;
  readonly graph: GraphProto;
  /** The Constant node, if it is one. */
  readonly constant: NodeProto | undefined;
}

/**
 * Every initializer and constant of the main graph and its subgraphs, in file order. Names that something else in the
 * model also defines (a second initializer, a node's output, a subgraph's input) are left out: a graph input of that
 * name would not replace them alone.
 */
export function weightSites(model: OnnxModel): WeightSite[] {
  const sites: WeightSite[] = [];
  const definitions = new Map<string, number>();
  for (const { graph, place } of graphsOf(model)) {
    if (place === 'aside') continue;
    const sitesHere = sitesOf(graph);
    sites.push(...sitesHere);
    for (const name of definedNames(graph, place === 'main')) definitions.set(name, (definitions.get(name) ?? 0) + 1);
  }
  return sites.filter((site) => site.name !== '' && definitions.get(site.name) === 1);
}

function sitesOf(graph: GraphProto): WeightSite[] {
  const initializers = graph.initializer.map((tensor) => ({ name: tensor.name, tensor, graph, constant: undefined }));
  const constants = graph.node.flatMap((node) => {
    const tensor = constantTensor(node);
    return tensor === undefined ? [] : [{ name: node.output[0]!, tensor, graph, constant: node }];
  });
  return [...initializers, ...constants];
}

/** The tensor of a Constant node's `value`. */
function constantTensor(node: NodeProto): TensorProto | undefined {
  if (node.opType !== 'Constant' || (node.domain !== '' && node.domain !== 'ai.onnx') || node.output.length !== 1)
    return undefined;
  return node.attribute.find((attribute) => attribute.name === 'value')?.t;
}

/**
 * Names a graph defines. Older files also list every initializer among the main graph's inputs; that is one definition,
 * not two.
 */
function* definedNames(graph: GraphProto, isMain: boolean): Generator<string> {
  const initializers = graph.initializer.map((tensor) => tensor.name);
  yield* initializers;
  for (const node of graph.node) yield* node.output;
  for (const sparse of graph.sparseInitializer) yield sparse.values?.name ?? '';
  const own = new Set(isMain ? initializers : []);
  for (const input of graph.input) if (!own.has(input.name)) yield input.name;
}
