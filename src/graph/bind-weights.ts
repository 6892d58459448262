import type { EvalSetSpec } from '../checkpoint/eval-set-spec.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { quoteName } from '../checkpoint/quote-name.ts';
import type { GraphDescription, GraphInitializer } from './describe-graph.ts';
import { effectiveRank } from './layer-type-of.ts';
import { hasMatchableContent, isTransposed, layoutKey, matchableLayouts, matchByContent, sameShape, type ContentDigests } from './match-by-content.ts';
import { isFloatDtype } from './onnx-dtype.ts';
import { quantizedElementsMin } from './quantized-layer-type.ts';
import { quoteNames } from './quote-names.ts';
import type { CheckpointTensor, WeightBinding } from './weight-binding.ts';

/** What a graph's initializers are bound to, and what is known of the bytes on both sides. */
export interface BindRequest {
  readonly graph: GraphDescription;
  readonly tensors: readonly CheckpointTensor[];
  readonly tensorMap?: EvalSetSpec['tensorMap'];
  /** Lowercase hex sha256 of the bytes of the tensors that {@link tensorsToDigest} names; others may be there too. */
  readonly digests?: ReadonlyMap<string, string>;
  /** From {@link digestInitializers}; without them nothing matches by content. */
  readonly contents?: ReadonlyMap<string, ContentDigests>;
}

export interface BoundWeights {
  readonly binding: WeightBinding;
  /** Checkpoint tensors the graph does not use: the metrics say nothing about them. In checkpoint order. */
  readonly unusedTensors: readonly string[];
  /** Floating initializers of more than one element that matched nothing and stay as they are in the graph. In file order. */
  readonly constants: readonly string[];
  /** Initializers paired by content where several tensors or initializers hold the same bytes. In file order. */
  readonly ambiguous: readonly string[];
}

/**
 * Decides which checkpoint tensor fills each initializer: by the supplied map, else by name, else by equal bytes. What matches nothing
 * stays a constant of the graph, unless it is external.
 * Errors: `graph-missing-weights` (an external initializer, or a tensor the map names, is not there; or the metrics would not depend on
 * the weights, because nothing matches at all or because a stored matrix looks like a weight that was not recognized),
 * `eval-input-mismatch` (shapes or types do not fit).
 */
export function bindWeights(request: BindRequest): BoundWeights {
  const { graph, tensors, tensorMap = {}, digests = new Map(), contents = new Map() } = request;
  const fillable = graph.initializers.filter(isFillable);
  refuseStrangers(tensorMap, fillable);
  const named = bindNamed(fillable, tensors, tensorMap);
  const rest = fillable.filter((initializer) => !named.has(initializer.name));
  const taken = new Set([...named.values()].map((source) => source.tensor));
  const matches = matchByContent({ initializers: rest, contents, tensors, digests, taken });
  const binding: WeightBinding = Object.fromEntries([
    ...named,
    ...matches.map(({ initializer, tensor, transpose }) => [initializer, { tensor, transpose }] as const),
  ]);
  const unbound = rest.filter((initializer) => !Object.hasOwn(binding, initializer.name));
  refuseMissing(unbound, binding, tensors);
  const used = new Set(Object.values(binding).map((source) => source.tensor));
  const unused = tensors.filter((tensor) => !used.has(tensor.name));
  refuseLookalikes(unbound, unused);
  return {
    binding,
    unusedTensors: unused.map((tensor) => tensor.name),
    constants: unbound.filter((initializer) => initializer.elementCount > 1).map((initializer) => initializer.name),
    ambiguous: matches.filter((match) => match.ambiguous).map((match) => match.initializer),
  };
}

/** The tensors whose digests would help {@link bindWeights}: those that could fill an initializer left over by map and names. */
export function tensorsToDigest(request: BindRequest): string[] {
  const layouts = new Set(leftToContent(request).flatMap(matchableLayouts));
  const { tensors } = request;
  return tensors.filter((tensor) => layouts.has(layoutKey(tensor))).map((tensor) => tensor.name);
}

/** Initializers that neither the map nor their names bind, and that have bytes to go by. */
export function leftToContent({ graph, tensors, tensorMap = {} }: BindRequest): GraphInitializer[] {
  const names = new Set(tensors.map((tensor) => tensor.name));
  return graph.initializers.filter((each) => hasMatchableContent(each) && !names.has(each.name) && !Object.hasOwn(tensorMap, each.name));
}

/** Floating weights always; other types only where the graph does not hold them. */
function isFillable(initializer: GraphInitializer): boolean {
  return initializer.external || isFloatDtype(initializer.dtype);
}

function refuseStrangers(tensorMap: NonNullable<EvalSetSpec['tensorMap']>, fillable: readonly GraphInitializer[]): void {
  const names = new Set(fillable.map((initializer) => initializer.name));
  const strangers = Object.keys(tensorMap).filter((name) => !names.has(name));
  if (strangers.length > 0)
    throw new FirnError(
      'eval-input-mismatch',
      `The tensor map names initializers that the graph does not have or keeps as constants: ${quoteNames(strangers)}.`,
    );
}

type Source = { readonly tensor: string; readonly transpose: boolean };

function bindNamed(
  fillable: readonly GraphInitializer[],
  tensors: readonly CheckpointTensor[],
  tensorMap: NonNullable<EvalSetSpec['tensorMap']>,
): Map<string, Source> {
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const named = new Map<string, Source>();
  for (const initializer of fillable) {
    const mapped = Object.hasOwn(tensorMap, initializer.name) ? tensorMap[initializer.name] : undefined;
    const source = { tensor: mapped?.tensor ?? initializer.name, transpose: mapped?.transpose ?? false };
    const tensor = byName.get(source.tensor);
    if (tensor === undefined && mapped !== undefined) {
      throw new FirnError(
        'graph-missing-weights',
        `The tensor map fills ${quoteName(initializer.name)} from ${quoteName(source.tensor)}, which the checkpoint does not have.`,
      );
    }
    if (tensor === undefined) continue;
    requireFit(initializer, tensor, source.transpose);
    named.set(initializer.name, source);
  }
  return named;
}

function requireFit(initializer: GraphInitializer, tensor: CheckpointTensor, transpose: boolean): void {
  const dtypesFit = isFloatDtype(initializer.dtype) ? isFloatDtype(tensor.dtype) : initializer.dtype === tensor.dtype;
  if (!dtypesFit) {
    throw new FirnError(
      'eval-input-mismatch',
      `Initializer ${quoteName(initializer.name)} is ${initializer.dtype ?? 'of an unsupported type'} in the graph and ${tensor.dtype} in the checkpoint.`,
    );
  }
  if (transpose ? isTransposed(tensor.shape, initializer.shape) : sameShape(tensor.shape, initializer.shape)) return;
  const hint = !transpose && isTransposed(tensor.shape, initializer.shape) ? '; give a tensor map with transpose if that is meant' : '';
  throw new FirnError(
    'eval-input-mismatch',
    `Initializer ${quoteName(initializer.name)} has shape [${initializer.shape.join(', ')}] in the graph, but tensor ${quoteName(tensor.name)} has [${tensor.shape.join(', ')}]${transpose ? ' before transposing' : hint}.`,
  );
}

function refuseMissing(unbound: readonly GraphInitializer[], binding: WeightBinding, tensors: readonly CheckpointTensor[]): void {
  const missing = unbound.filter((initializer) => initializer.external).map((initializer) => initializer.name);
  if (missing.length > 0) {
    throw new FirnError('graph-missing-weights', `The graph leaves initializers to be filled that match no tensor of the checkpoint: ${quoteNames(missing)}.`);
  }
  if (tensors.length > 0 && Object.keys(binding).length === 0) {
    throw new FirnError(
      'graph-missing-weights',
      'No initializer of the graph matches a tensor of the checkpoint by map, name or content, so its metrics would not depend on the weights.',
    );
  }
}

/**
 * A matrix in the graph that matches nothing, beside an unused tensor of its shape, is taken for that tensor in disguise: renamed,
 * exported from other weights, or folded into a neighbour (convolution with batch normalization). Evaluated as a constant it would
 * let any quantization pass.
 */
function refuseLookalikes(unbound: readonly GraphInitializer[], unused: readonly CheckpointTensor[]): void {
  const byShape = new Map(unused.filter((tensor) => isFloatDtype(tensor.dtype)).map((tensor) => [layoutKey({ dtype: 'F32', shape: tensor.shape }), tensor]));
  for (const initializer of unbound) {
    if (initializer.elementCount < quantizedElementsMin || effectiveRank(initializer.shape) < 2) continue;
    const tensor = matchableLayouts({ ...initializer, dtype: 'F32' })
      .map((layout) => byShape.get(layout))
      .find((each) => each !== undefined);
    if (tensor === undefined) continue;
    throw new FirnError(
      'graph-missing-weights',
      `The graph stores ${quoteName(initializer.name)}, which has the shape of the unused tensor ${quoteName(tensor.name)} but neither its name nor its bytes; export the graph without folding weights, or give a tensor map.`,
    );
  }
}
