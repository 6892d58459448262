import { bindingOf } from './bind-weights.ts';
import type { BindingSpec } from './binding/bind-request.ts';
import { mayBeMask } from './binding/refuse/inspect-constants.ts';
import { pairByHeaders } from './binding/pair/pair-by-headers.ts';
import { refuseUnfilled } from './binding/refuse/refuse-unfilled.ts';
import { isFirstState } from './binding/refuse/weightless-inputs.ts';
import type { WeightTrace } from './binding/weight-trace.ts';
import type { GraphDescription, GraphInitializer } from './describe-graph.ts';
import { inputRole } from './layers/operator-roles.ts';
import { hasMatchableContent, layoutKey, matchableLayouts } from './match-by-content.ts';
import type { CheckpointTensor } from './weight-binding.ts';

/**
 * Refuses a checkpoint that cannot be bound to a graph whatever its bytes, from headers alone. Like `bindWeights`, but
 * it allows initializers that equal bytes may still fill, or that may turn out to be masks. Errors:
 * `graph-missing-weights`, `eval-input-mismatch`.
 */
export function couldFill(graph: GraphDescription, tensors: readonly CheckpointTensor[], spec: BindingSpec): void {
  const headers = pairByHeaders({ ...spec, graph, tensors });
  const { pairs, trace } = headers;
  const layouts = new Set(tensors.map(layoutKey));
  // A tied weight stored twice has the bytes of an initializer, not of a tensor.
  for (const each of graph.initializers) if (pairs.has(each.name)) layouts.add(layoutKey(each));
  const mayTurnOut = (each: GraphInitializer) =>
    (hasMatchableContent(each) && matchableLayouts(each).some((layout) => layouts.has(layout))) ||
    (each.stored !== undefined &&
      ((mayBeMask(each) && !isMultiplied(trace, each.name)) || isFirstState(trace, each.name)));
  const undecided = graph.initializers.filter((each) => !pairs.has(each.name) && mayTurnOut(each));
  refuseUnfilled(headers, bindingOf(pairs), { undecided: new Set(undecided.map((each) => each.name)) });
}

/**
 * A mask is added to activations, so weights of products and convolutions are no masks (a look-up may cut a mask to
 * size).
 */
function isMultiplied(trace: WeightTrace, name: string): boolean {
  return (trace.usesOf(name) ?? []).some(({ domain, opType, index }) =>
    weightRoles.has(inputRole(domain, opType, index) ?? ''),
  );
}

const weightRoles: ReadonlySet<string> = new Set(['linear', 'convolution']);
