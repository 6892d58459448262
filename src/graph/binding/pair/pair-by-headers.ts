import { FirnError } from '../../../checkpoint/firn-error.ts';
import { matchWildcards } from '../../../checkpoint/match-wildcards.ts';
import { quoteName } from '../../../checkpoint/words/quote-name.ts';
import type { GraphInitializer } from '../../describe-graph.ts';
import { isFloatDtype } from '../../onnx/onnx-dtype.ts';
import type { CheckpointTensor } from '../../weight-binding.ts';
import type { BindRequest } from '../bind-request.ts';
import { WeightTrace } from '../weight-trace.ts';
import type { Pairs } from './pair.ts';
import { pairByName } from './pair-by-name.ts';
import type { PrefixPair } from './candidate-prefixes.ts';
import { pairByPrefix, type PrefixMatch } from './pair-by-prefix.ts';
import { pairTied } from './pair-tied.ts';

/**
 * The headers of a graph and of a checkpoint, with the pairs they determine: computed once, and read by every later
 * step of a binding.
 */
export interface HeaderPairs extends Pick<BindRequest, 'graph'> {
  /** Tensors of the checkpoint, without those that the eval set leaves out. */
  readonly tensors: readonly CheckpointTensor[];
  /** Tensors that the eval set leaves out, in checkpoint order. */
  readonly leftOut: readonly string[];
  readonly pairs: Pairs;
  readonly prefix: PrefixPair | undefined;
  /** Another pair of prefixes that would also fill the graph, from other tensors. */
  readonly rival: PrefixPair | undefined;
  readonly trace: WeightTrace;
  /** Whether the eval set declares a name of the graph to be a constant. */
  readonly isConstant: (name: string) => boolean;
  /** Whether the eval set leaves a tensor out. */
  readonly isLeftOut: (name: string) => boolean;
}

/**
 * Pairs initializers and tensors without their bytes: by the map, by equal names, by one prefix, as ties. A prefix is
 * looked for only if no names are equal: otherwise it would take another layer's weights for missing ones. Cost: some
 * passes over the nodes, the initializers and the tensors. Errors: `eval-input-mismatch`, `graph-missing-weights`.
 */
export function pairByHeaders({
  graph,
  tensors: all,
  tensorMap = {},
  constants = [],
  unused = [],
}: BindRequest): HeaderPairs {
  const trace = new WeightTrace(graph);
  const fillable = graph.initializers.filter(isFillable);
  const isLeftOut = matcherOf(unused);
  const tensors = all.filter((tensor) => !isLeftOut(tensor.name));
  const leftOut = all.filter((tensor) => isLeftOut(tensor.name)).map((tensor) => tensor.name);
  const isConstant = matcherOf(constants);
  refuseContradiction(leftOut, fillable, { tensorMap, isConstant });
  const pairs = pairByName(fillable, tensors, tensorMap);
  const isOpen = (each: GraphInitializer) => !pairs.has(each.name) && !isConstant(each.name);
  let match: PrefixMatch | undefined;
  if (!fillable.some((each) => each.elementCount > 1 && pairs.get(each.name)?.by === 'name')) {
    const used = new Set([...pairs.values()].map((pair) => pair.tensor));
    match = pairByPrefix(
      fillable.filter(isOpen),
      tensors.filter((tensor) => !used.has(tensor.name)),
    );
    for (const [name, pair] of match?.pairs ?? []) pairs.set(name, pair);
  }
  const rest = fillable.filter(isOpen);
  if (rest.length > 0)
    for (const [name, pair] of pairTied({ rest, initializers: fillable, tensors, pairs, trace })) pairs.set(name, pair);
  return { graph, tensors, leftOut, pairs, prefix: match?.prefix, rival: match?.rival, trace, isConstant, isLeftOut };
}

/** Whether a name matches an entry of a list; entries may contain `*`. Each name is compared with the patterns once. */
export function matcherOf(list: readonly string[]): (name: string) => boolean {
  const exact = new Set(list.filter((each) => !each.includes('*')));
  const patterns = list.filter((each) => each.includes('*'));
  if (patterns.length === 0) return (name) => exact.has(name);
  const known = new Map<string, boolean>();
  return (name) => {
    const answer =
      known.get(name) ?? (exact.has(name) || patterns.some((pattern) => matchWildcards(pattern, name) !== undefined));
    known.set(name, answer);
    return answer;
  };
}

/**
 * Refuses to leave out a tensor that the graph has under its own name, or that the map names. Errors:
 * `eval-input-mismatch`.
 */
function refuseContradiction(
  leftOut: readonly string[],
  fillable: readonly GraphInitializer[],
  {
    tensorMap,
    isConstant,
  }: { readonly tensorMap: NonNullable<BindRequest['tensorMap']>; readonly isConstant: (name: string) => boolean },
): void {
  if (leftOut.length === 0) return;
  const names = new Set(leftOut);
  const filled = (name: string) =>
    Object.hasOwn(tensorMap, name) ? tensorMap[name]!.tensor : isConstant(name) ? undefined : name;
  const wanted = fillable.find((each) => names.has(filled(each.name) ?? ''));
  if (wanted === undefined) return;
  throw new FirnError(
    'eval-input-mismatch',
    `The eval set's "unused" leaves out ${quoteName(filled(wanted.name)!)}, which fills ` +
      `${quoteName(wanted.name)} of the graph by name or "tensorMap": take it out of "unused", or map the ` +
      'initializer to another tensor.',
  );
}

/**
 * Whether a tensor may fill an initializer: floating weights always; other types only if the graph does not contain
 * them.
 */
export function isFillable(initializer: GraphInitializer): boolean {
  return initializer.external || isFloatDtype(initializer.dtype);
}
