import { isFloatDtype } from '../../onnx/onnx-dtype.ts';
import type { WeightBinding } from '../../weight-binding.ts';
import type { PairedBy } from '../pair/pair.ts';
import type { PrefixPair } from '../pair/candidate-prefixes.ts';
import { unusedEntry } from '../pair/describe-prefix.ts';
import type { HeaderPairs } from '../pair/pair-by-headers.ts';

/** An initializer and the tensor that fills it. */
export interface FilledBy {
  readonly initializer: string;
  readonly tensor: string;
}

/** How the initializers of a graph are filled. Lists are in file order. */
export interface BindingReport {
  /** Number of initializers filled by the tensor of their own name. */
  readonly nameCount: number;
  /**
   * `rival` would also fill the graph, from other tensors, if the eval set left the first ones out: `leaveOut` is the
   * entry of its spec for that.
   */
  readonly prefix?: PrefixPair & {
    readonly count: number;
    readonly rival?: PrefixPair & { readonly leaveOut: string };
  };
  readonly mapped: readonly FilledBy[];
  /** Filled by the tensor that also fills another initializer, under the other's name or a shared one. */
  readonly tied: readonly FilledBy[];
  /** Filled by the tensor that had the same bytes at the first checkpoint of the run. */
  readonly byContent: readonly FilledBy[];
  /** Filled with transposition, however they were found. */
  readonly transposed: readonly FilledBy[];
  /** Floating constants of more than one element that the eval set declares and no tensor fills. */
  readonly declared: readonly string[];
  /**
   * Used in several places, although an untrained model may have as many equal weights there; absent if there are none.
   */
  readonly doubtful?: readonly string[];
  /** Other tensors of the checkpoint that the graph does not use. In checkpoint order. */
  readonly unused: readonly string[];
  /** Those that the eval set leaves out. In checkpoint order. */
  readonly leftOut: readonly string[];
}

/**
 * Reports how a binding was found, from headers alone: pairs that names, prefix and ties do not explain were found by
 * content.
 */
export function reportBinding(
  { graph, tensors, leftOut, pairs, prefix, rival, isConstant }: HeaderPairs,
  binding: WeightBinding,
): BindingReport {
  const users = new Map<string, number>();
  for (const { tensor } of Object.values(binding)) users.set(tensor, (users.get(tensor) ?? 0) + 1);
  const found: (FilledBy & { readonly by: PairedBy; readonly transpose: boolean })[] = [];
  for (const { name } of graph.initializers) {
    if (!Object.hasOwn(binding, name)) continue;
    const { tensor, transpose } = binding[name]!;
    const pair = pairs.get(name);
    const by = pair?.tensor === tensor ? pair.by : users.get(tensor)! > 1 ? 'tied' : 'content';
    found.push({ initializer: name, tensor, transpose, by });
  }
  const list = (by: PairedBy) =>
    found.filter((each) => each.by === by).map(({ initializer, tensor }) => ({ initializer, tensor }));
  const prefixCount = list('prefix').length;
  return {
    nameCount: list('name').length,
    ...(prefix !== undefined &&
      prefixCount > 0 && {
        prefix: {
          ...prefix,
          count: prefixCount,
          ...(rival && { rival: { ...rival, leaveOut: unusedEntry(prefix, rival, graph.initializers) } }),
        },
      }),
    mapped: list('map'),
    tied: list('tied'),
    byContent: list('content'),
    transposed: found.filter((each) => each.transpose).map(({ initializer, tensor }) => ({ initializer, tensor })),
    declared: graph.initializers
      .filter(
        (each) =>
          isFloatDtype(each.dtype) &&
          each.elementCount > 1 &&
          !Object.hasOwn(binding, each.name) &&
          isConstant(each.name),
      )
      .map((each) => each.name),
    unused: tensors.filter((tensor) => !users.has(tensor.name)).map((tensor) => tensor.name),
    leftOut,
  };
}
