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
   * Checkpoint tensors that the graph does not use and the eval set does not leave out: they do not affect the metrics.
   * In checkpoint order.
   */
  readonly unusedTensors: readonly string[];
  /**
   * Floating initializers of more than one element that nothing fills and that are certainly no weights. In file order.
   */
  readonly constants: readonly string[];
  readonly report: BindingReport;
}

/**
 * Decides which checkpoint tensor fills each initializer: by the given map, else by name, by one prefix, as a tie, or
 * by equal bytes, whichever is certain. Errors: `graph-missing-weights` (no tensor fills a floating tensor of the graph
 * that may be a weight, or one weight stands for several; the sentence gives the remedy).
 */
export function bindWeights(headers: HeaderPairs, { plain, ...bytes }: KnownBytes = {}): BoundWeights {
  return settleBinding(headers, bindingOf(pairWeights(headers, bytes)), plain);
}

/**
 * Refuses a binding that leaves weights to the graph's own numbers, and reports how it was found. Errors: those of
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

/** The certain pairs; other initializers may remain unpaired. */
export function pairWeights(headers: HeaderPairs, bytes: KnownBytes): ReadonlyMap<string, Pair> {
  return new Map([...headers.pairs, ...pairByContent(headers, bytes)]);
}

/** Pairs in the form that is stored with a run. */
export function bindingOf(pairs: ReadonlyMap<string, Pair>): WeightBinding {
  return Object.fromEntries([...pairs].map(([name, { tensor, transpose }]) => [name, { tensor, transpose }]));
}

/**
 * The tensors whose digests would help {@link bindWeights}: those that could fill an initializer not paired by map,
 * names and ties.
 */
export function tensorsToDigest(headers: HeaderPairs): string[] {
  const layouts = new Set(leftToContent(headers).flatMap(matchableLayouts));
  return headers.tensors.filter((tensor) => layouts.has(layoutKey(tensor))).map((tensor) => tensor.name);
}
