import type { GraphInitializer } from '../../describe-graph.ts';
import { isFloatDtype } from '../../onnx-dtype.ts';
import type { BindRequest } from '../bind-request.ts';
import { declaredConstants } from '../declared-constants.ts';
import type { Pair } from './pair.ts';
import { pairByName } from './pair-by-name.ts';
import { pairByPrefix, type PrefixPair } from './pair-by-prefix.ts';
import { pairTied } from './pair-tied.ts';
import { WeightTrace } from '../weight-trace.ts';

export interface HeaderPairs {
  readonly pairs: ReadonlyMap<string, Pair>;
  readonly prefix: PrefixPair | undefined;
}

/**
 * Pairs initializers and tensors by what can be told without their bytes: by the map, by equal names, by one prefix, by being tied. A prefix is only
 * looked for where no name is equal: beside equal names it would take another layer's weights for those that are missing. Errors: `eval-input-mismatch`,
 * `graph-missing-weights`.
 */
export function pairByHeaders({ graph, tensors, tensorMap = {}, constants }: BindRequest): HeaderPairs {
  const fillable = graph.initializers.filter(isFillable);
  const pairs = pairByName(fillable, tensors, tensorMap);
  const declared = declaredConstants(constants);
  const isOpen = (each: GraphInitializer) => !pairs.has(each.name) && !declared(each.name);
  let prefix: PrefixPair | undefined;
  if (!fillable.some((each) => each.elementCount > 1 && pairs.get(each.name)?.by === 'name')) {
    const used = new Set([...pairs.values()].map((pair) => pair.tensor));
    const match = pairByPrefix(
      fillable.filter(isOpen),
      tensors.filter((tensor) => !used.has(tensor.name)),
    );
    for (const [name, pair] of match?.pairs ?? []) pairs.set(name, pair);
    prefix = match?.prefix;
  }
  const rest = fillable.filter(isOpen);
  if (rest.length > 0) {
    const tied = pairTied({ rest, initializers: fillable, tensors, pairs, trace: new WeightTrace(graph) });
    for (const [name, pair] of tied) pairs.set(name, pair);
  }
  return { pairs, prefix };
}

/** Floating weights always; other types only where the graph does not hold them. */
export function isFillable(initializer: GraphInitializer): boolean {
  return initializer.external || isFloatDtype(initializer.dtype);
}
