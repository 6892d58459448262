import { create, toBinary } from '@bufbuild/protobuf';
import type { Dtype } from '../checkpoint/dtype.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { quoteName } from '../checkpoint/words/quote-name.ts';
import { describeGraph, type GraphDescription, type GraphInitializer } from './describe-graph.ts';
import { defaultGraphLimits, type GraphLimits } from './onnx/graph-limits.ts';
import { graphsOf } from './onnx/graph-walk.ts';
import { onnxTypeOfDtype } from './onnx/onnx-dtype.ts';
import {
  ModelProtoSchema,
  NodeProtoSchema,
  ValueInfoProtoSchema,
  type GraphProto,
  type NodeProto,
  type ValueInfoProto,
} from './onnx/onnx_pb.ts';
import { quoteNames } from './quote-names.ts';

/** A model with chosen initializers turned into graph inputs. */
export interface EvaluationGraph {
  /** The rewritten file: no external data, ready to be loaded from memory. */
  readonly bytes: Uint8Array;
  /** Inputs for the batches, outputs and initializers of the graph as uploaded. */
  readonly graph: GraphDescription;
  readonly feeds: readonly WeightFeed[];
}

/** One weight to be fed at every run. */
export interface WeightFeed {
  readonly initializer: string;
  /** Name of the graph input for it. */
  readonly input: string;
  /** Type to feed: the initializer's own, but F32 for BF16. */
  readonly dtype: FeedableDtype;
  readonly shape: readonly number[];
  readonly elementCount: number;
}

/** The types that onnxruntime's Node binding can feed. */
export const feedableDtypes = [
  'F32',
  'F64',
  'F16',
  'BOOL',
  'U8',
  'I8',
  'U16',
  'I16',
  'U32',
  'I32',
  'U64',
  'I64',
] as const satisfies readonly Dtype[];
export type FeedableDtype = (typeof feedableDtypes)[number];

export function isFeedable(dtype: Dtype | undefined): dtype is FeedableDtype {
  return dtype !== undefined && (feedableDtypes as readonly Dtype[]).includes(dtype);
}

/**
 * Rewrites a model so that candidate weights are fed instead of stored: each initializer in `chosen` (or each that is
 * external) is removed and declared as an input of the main graph, which subgraphs see as an outer name. The
 * initializer is removed, not merely overridden: with it in the model, the runtime silently ignores the fed value. A
 * bfloat16 initializer is fed as float and cast inside the graph. Everything else stays, including unknown fields;
 * training graphs, which no evaluation reads, are dropped. Errors: those of {@link describeGraph},
 * `graph-missing-weights` (an external initializer is not fed, or `chosen` names a missing one), `graph-invalid` (a
 * type that cannot be fed).
 */
export function evaluationGraph(
  bytes: Uint8Array,
  chosen: ReadonlySet<string> | 'external',
  limits: GraphLimits = defaultGraphLimits,
): EvaluationGraph {
  const graph = describeGraph(bytes, limits);
  const fed = chosen === 'external' ? externalNames(graph) : chosen;
  const replaced = graph.initializers.filter((initializer) => fed.has(initializer.name));
  requireWeights(graph, replaced, fed);
  const feeds = replaced.map(weightFeed);
  const { model } = describeGraph(bytes, limits);
  for (const { graph: each } of graphsOf(model)) removeStored(each, fed);
  declareInputs(model.graph, replaced, feeds);
  model.trainingInfo = [];
  return { bytes: toBinary(ModelProtoSchema, model), graph, feeds };
}

function requireWeights(
  graph: GraphDescription,
  replaced: readonly GraphInitializer[],
  fed: ReadonlySet<string>,
): void {
  const names = new Set(replaced.map((initializer) => initializer.name));
  const strangers = [...fed].filter((name) => !names.has(name));
  if (strangers.length > 0)
    throw new FirnError('graph-missing-weights', `The graph has no initializers named ${quoteNames(strangers)}.`);
  const missing = [...externalNames(graph)].filter((name) => !fed.has(name));
  if (missing.length > 0)
    throw new FirnError(
      'graph-missing-weights',
      `The graph leaves initializers to be filled that nothing fills: ${quoteNames(missing)}.`,
    );
}

function externalNames(graph: GraphDescription): Set<string> {
  return new Set(
    graph.initializers.filter((initializer) => initializer.external).map((initializer) => initializer.name),
  );
}

function weightFeed({ name, dtype, shape, elementCount }: GraphInitializer): WeightFeed {
  if (dtype === 'BF16') return { initializer: name, input: `firn_feed/${name}`, dtype: 'F32', shape, elementCount };
  if (!isFeedable(dtype))
    throw new FirnError(
      'graph-invalid',
      `Initializer ${quoteName(name)} has a type that cannot be fed (${dtype ?? 'unknown'}).`,
    );
  return { initializer: name, input: name, dtype, shape, elementCount };
}

/**
 * Removes initializers, Constant nodes and type annotations of the fed names. Their names are unique in the model, so
 * nothing else is removed.
 */
function removeStored(graph: GraphProto, fed: ReadonlySet<string>): void {
  graph.initializer = graph.initializer.filter((tensor) => !fed.has(tensor.name));
  graph.node = graph.node.filter((node) => node.opType !== 'Constant' || !fed.has(node.output[0] ?? ''));
  graph.valueInfo = graph.valueInfo.filter((info) => !fed.has(info.name));
}

function declareInputs(graph: GraphProto, replaced: readonly GraphInitializer[], feeds: readonly WeightFeed[]): void {
  const names = new Set(replaced.map((initializer) => initializer.name));
  graph.input = [...graph.input.filter((input) => !names.has(input.name)), ...feeds.map(inputOf)];
  const casts = feeds.filter((feed) => feed.input !== feed.initializer).map(castToBfloat16);
  graph.node = [...casts, ...graph.node];
}

function inputOf(feed: WeightFeed): ValueInfoProto {
  const dim = feed.shape.map((size) => ({ value: { case: 'dimValue' as const, value: BigInt(size) } }));
  return create(ValueInfoProtoSchema, {
    name: feed.input,
    type: { tensorType: { elemType: onnxTypeOfDtype(feed.dtype), shape: { dim } } },
  });
}

/** AttributeProto.AttributeType.INT */
const attributeTypeInt = 2;

function castToBfloat16(feed: WeightFeed): NodeProto {
  const to = { name: 'to', type: attributeTypeInt, i: BigInt(onnxTypeOfDtype('BF16')) };
  return create(NodeProtoSchema, { opType: 'Cast', input: [feed.input], output: [feed.initializer], attribute: [to] });
}
