import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { GraphInitializer } from '../../describe-graph.ts';
import type { CheckpointTensor } from '../../weight-binding.ts';
import { describePrefix, unusedEntry } from './describe-prefix.ts';
import { candidatePrefixes, type PrefixPair } from './candidate-prefixes.ts';
import { fitOf, misfit } from './fit.ts';
import type { Pair } from './pair.ts';

export interface PrefixMatch {
  readonly prefix: PrefixPair;
  readonly pairs: ReadonlyMap<string, Pair>;
  /** A pair of prefixes that would also fill the graph, from other tensors; the best if there are several. */
  readonly rival: PrefixPair | undefined;
}

/** Most initializers, spread over all, on which a pair of prefixes is tried before it is counted on all. */
const samplesMax = 512;
/** Share of the samples that must match: half of the share required of all. */
const sampleShareMin = 0.25;

/** Names made up by exporters, without relation to the model. */
const exporterMade = /^(onnx::|\/|val_\d+$|_val_\d+$|Constant)/;

/**
 * Finds the one pair of prefixes that makes most of the names match (more than half of those that an exporter did not
 * make up) and pairs by it. Of two that match equally well, one that only removes a prefix is better than one that
 * replaces it. Only tensors that are not used otherwise are considered. Undefined if no pair does. Cost: a few
 * comparisons of names for each tensor, and a look-up for each initializer and pair that matches. Errors:
 * `graph-missing-weights` (two pairs match equally well), `eval-input-mismatch` (a shape or type does not fit).
 */
export function pairByPrefix(
  rest: readonly GraphInitializer[],
  unused: readonly CheckpointTensor[],
): PrefixMatch | undefined {
  const named = rest.filter((each) => (each.elementCount > 1 || each.external) && !exporterMade.test(each.name));
  if (named.length === 0 || unused.length === 0) return undefined;
  const byName = new Map(unused.map((tensor) => [tensor.name, tensor]));
  const [winner, ...others] = rankedPrefixes(named, unused, byName);
  if (winner === undefined) return undefined;
  const equal = others.find(
    ({ prefix, count }) =>
      count === winner.count &&
      isExchange(prefix) === isExchange(winner.prefix) &&
      differ(winner.prefix, prefix, named, byName),
  );
  if (equal !== undefined) {
    const ways = [winner.prefix, equal.prefix] as const;
    throw new FirnError(
      'graph-missing-weights',
      `The names of the graph match the checkpoint's in two ways equally well: ${describePrefix(ways[0])}, ` +
        `and ${describePrefix(ways[1])}. ` +
        `Say which of them the graph leaves out: add ${unusedEntry(ways[1], ways[0], named)} to the eval ` +
        `set's spec for the first, or ${unusedEntry(ways[0], ways[1], named)} for the second.`,
    );
  }
  const rival = others.find(({ prefix }) => fillsOtherwise(prefix, winner.prefix, named, byName));
  return { prefix: winner.prefix, pairs: pairsBehind(winner.prefix, rest, byName), rival: rival?.prefix };
}

interface CountedPrefix {
  readonly prefix: PrefixPair;
  /** Number of names that match. */
  readonly count: number;
}

/** Pairs of prefixes that make more than half of the names match, the best first. */
function rankedPrefixes(
  named: readonly GraphInitializer[],
  unused: readonly CheckpointTensor[],
  byName: TensorsByName,
): CountedPrefix[] {
  const step = Math.ceil(named.length / samplesMax);
  const samples = named.filter((_, at) => at % step === 0);
  return candidatePrefixes(named, unused)
    .filter((prefix) => countMatches(prefix, samples, byName) >= samples.length * sampleShareMin)
    .map((prefix) => ({ prefix, count: countMatches(prefix, named, byName) }))
    .filter(({ count }) => count * 2 > named.length)
    .toSorted((a, b) => b.count - a.count || Number(isExchange(a.prefix)) - Number(isExchange(b.prefix)));
}

function isExchange({ graph, checkpoint }: PrefixPair): boolean {
  return graph !== '' && checkpoint !== '';
}

function countMatches(prefix: PrefixPair, named: readonly GraphInitializer[], byName: TensorsByName): number {
  return named.reduce((count, { name }) => count + Number(tensorBehind(prefix, name, byName) !== undefined), 0);
}

type TensorsByName = ReadonlyMap<string, CheckpointTensor>;

function tensorBehind(
  { graph, checkpoint }: PrefixPair,
  name: string,
  byName: TensorsByName,
): CheckpointTensor | undefined {
  return name.startsWith(graph) ? byName.get(checkpoint + name.slice(graph.length)) : undefined;
}

/**
 * Whether two prefixes give some initializer different tensors; `m.` for nothing and `m.encoder.` for `encoder.` do
 * not.
 */
function differ(a: PrefixPair, b: PrefixPair, named: readonly GraphInitializer[], byName: TensorsByName): boolean {
  return named.some(({ name }) => tensorBehind(a, name, byName) !== tensorBehind(b, name, byName));
}

/** Whether a prefix fills more than half of the initializers from other tensors than the winner does. */
function fillsOtherwise(
  prefix: PrefixPair,
  winner: PrefixPair,
  named: readonly GraphInitializer[],
  byName: TensorsByName,
): boolean {
  const others = named.filter((initializer) => {
    const tensor = tensorBehind(prefix, initializer.name, byName);
    return (
      tensor !== undefined &&
      tensor !== tensorBehind(winner, initializer.name, byName) &&
      fitOf(initializer, tensor) !== undefined
    );
  });
  return others.length * 2 > named.length;
}

function pairsBehind(prefix: PrefixPair, rest: readonly GraphInitializer[], byName: TensorsByName): Map<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const initializer of rest) {
    const tensor = tensorBehind(prefix, initializer.name, byName);
    if (tensor === undefined) continue;
    const fit = fitOf(initializer, tensor);
    if (fit === undefined && initializer.elementCount <= 1) continue;
    if (fit === undefined) throw misfit(initializer, tensor, false);
    pairs.set(initializer.name, { tensor: tensor.name, transpose: fit === 'transposed', by: 'prefix' });
  }
  return pairs;
}
