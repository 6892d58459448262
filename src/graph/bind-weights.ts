import type { KnownBytes } from './binding/bind-request.ts';
import { reportBinding, type BindingReport } from './binding/describe/binding-report.ts';
import { leftToContent, pairByContent } from './binding/pair/pair-by-content.ts';
import type { HeaderPairs } from './binding/pair/pair-by-headers.ts';
import type { Pair } from './binding/pair/pair.ts';
import { doubtfulVectors } from './binding/refuse/merged-names.ts';
import { refuseUnfilled } from './binding/refuse/refuse-unfilled.ts';
import { layoutKey, matchableLayouts } from './match-by-content.ts';
import { isFloatDtype } from './onnx/onnx-dtype.ts';
import type { WeightBinding } from './weight-binding.ts';

export type { BindRequest } from './binding/bind-request.ts';
export type { BindingReport } from './binding/describe/binding-report.ts';

export interface BoundWeights {
  readonly binding: WeightBinding;
  /**
   * Checkpoint tensors the graph does not use and the eval set does not leave out: the metrics say nothing about them.
   * In checkpoint order.
   */
  readonly unusedTensors: readonly string[];
  /**
   * Floating initializers of more than one element that nothing fills and that are known to be no weights. In file
   * order.
   */
  readonly constants: readonly string[];
  readonly report: BindingReport;
}

/**
 * Decides which checkpoint tensor fills each initializer: by the supplied map, else by name, one prefix, a tie, or
 * equal bytes, where each of them is certain. Errors: `graph-missing-weights` (a floating tensor of the graph that may
 * be a weight is filled by nothing, or a weight stands for several; the sentence says what to do).
 */
export function bindWeights(headers: HeaderPairs, { plain, ...bytes }: KnownBytes = {}): BoundWeights {
  return settleBinding(headers, bindingOf(pairWeights(headers, bytes)), plain);
}

/**
 * Refuses what a binding leaves to the graph's own numbers, and tells how it came about. Errors: those of
 * {@link bindWeights}.
 */
export function settleBinding(headers: HeaderPairs, binding: WeightBinding, plain: KnownBytes['plain']): BoundWeights {
  refuseUnfilled(headers, binding, plain && { plain });
  const doubtful = plain === undefined ? [] : doubtfulVectors(headers, binding, plain);
  const report = { ...reportBinding(headers, binding), ...(doubtful.length > 0 && { doubtful }) };
  const open = headers.graph.initializers.filter(
    (each) => isFloatDtype(each.dtype) && each.elementCount > 1 && !Object.hasOwn(binding, each.name),
  );
  return { binding, unusedTensors: report.unused, constants: open.map((each) => each.name), report };
}

/** The pairs that are certain, whatever they leave open. */
export function pairWeights(headers: HeaderPairs, bytes: KnownBytes): ReadonlyMap<string, Pair> {
  return new Map([...headers.pairs, ...pairByContent(headers, bytes)]);
}

/** Pairs as they are kept with a run. */
export function bindingOf(pairs: ReadonlyMap<string, Pair>): WeightBinding {
  return Object.fromEntries([...pairs].map(([name, { tensor, transpose }]) => [name, { tensor, transpose }]));
}

/**
 * The tensors whose digests would help {@link bindWeights}: those that could fill an initializer left over by map,
 * names and ties.
 */
export function tensorsToDigest(headers: HeaderPairs): string[] {
  const layouts = new Set(leftToContent(headers).flatMap(matchableLayouts));
  return headers.tensors.filter((tensor) => layouts.has(layoutKey(tensor))).map((tensor) => tensor.name);
}
