import type { AttributeProto, GraphProto, NodeProto, SparseTensorProto, TensorProto } from './onnx_pb.ts';
import type { OnnxModel } from './read-model.ts';

/**
 * A graph and how it is reached: the main graph, the body of a control-flow node in it, or neither (functions,
 * training).
 */
export interface GraphScope {
  readonly graph: GraphProto;
  readonly place: 'main' | 'subgraph' | 'aside';
}

/** Every graph of a model, outer before inner, in file order. */
export function* graphsOf(model: OnnxModel): Generator<GraphScope> {
  yield* nested(model.graph, 'main');
  for (const info of model.trainingInfo) {
    if (info.initialization !== undefined) yield* nested(info.initialization, 'aside');
    if (info.algorithm !== undefined) yield* nested(info.algorithm, 'aside');
  }
  for (const fn of model.functions) {
    for (const attribute of attributesOfFunction(fn)) yield* nestedIn(attribute, 'aside');
  }
}

/** Graphs in a node's attributes, without those nested deeper. */
export function subgraphsOf(node: NodeProto): GraphProto[] {
  return node.attribute.flatMap((attribute) =>
    attribute.g === undefined ? attribute.graphs : [attribute.g, ...attribute.graphs],
  );
}

function* nested(graph: GraphProto, place: GraphScope['place']): Generator<GraphScope> {
  yield { graph, place };
  const inner = place === 'main' ? 'subgraph' : place;
  for (const node of graph.node) {
    for (const subgraph of subgraphsOf(node)) yield* nested(subgraph, inner);
  }
}

function* nestedIn(attribute: AttributeProto, place: GraphScope['place']): Generator<GraphScope> {
  if (attribute.g !== undefined) yield* nested(attribute.g, place);
  for (const graph of attribute.graphs) yield* nested(graph, place);
}

function attributesOfFunction(fn: OnnxModel['functions'][number]): AttributeProto[] {
  return [...fn.attributeProto, ...fn.node.flatMap((node) => node.attribute)];
}

/** Every tensor stored anywhere in a model: initializers, node attributes, sparse parts, functions, training graphs. */
export function* tensorsOf(model: OnnxModel): Generator<TensorProto> {
  for (const { graph } of graphsOf(model)) {
    yield* graph.initializer;
    for (const sparse of graph.sparseInitializer) yield* sparseParts(sparse);
    for (const node of graph.node) yield* attributeTensors(node.attribute);
  }
  for (const fn of model.functions) yield* attributeTensors(attributesOfFunction(fn));
}

function* attributeTensors(attributes: readonly AttributeProto[]): Generator<TensorProto> {
  for (const attribute of attributes) {
    if (attribute.t !== undefined) yield attribute.t;
    yield* attribute.tensors;
    if (attribute.sparseTensor !== undefined) yield* sparseParts(attribute.sparseTensor);
    for (const sparse of attribute.sparseTensors) yield* sparseParts(sparse);
  }
}

function* sparseParts(sparse: SparseTensorProto): Generator<TensorProto> {
  if (sparse.values !== undefined) yield sparse.values;
  if (sparse.indices !== undefined) yield sparse.indices;
}
