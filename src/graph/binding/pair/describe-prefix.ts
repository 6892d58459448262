import { quoteName } from '../../../checkpoint/words/quote-name.ts';
import type { PrefixPair } from './candidate-prefixes.ts';

/** Most patterns in a sentence. */
const patternsShown = 8;

/** A pair of prefixes in words. */
export function describePrefix({ graph, checkpoint }: PrefixPair): string {
  if (checkpoint === '') return `without the graph's prefix ${quoteName(graph)}`;
  if (graph === '') return `behind the checkpoint's prefix ${quoteName(checkpoint)}`;
  return `with the checkpoint's prefix ${quoteName(checkpoint)} in place of the graph's ${quoteName(graph)}`;
}

/** The entry of a spec that leaves out the tensors behind one pair of prefixes, but none of those behind another. */
export function unusedEntry(
  prefix: PrefixPair,
  remaining: PrefixPair,
  named: readonly { readonly name: string }[],
): string {
  const { graph, checkpoint } = prefix;
  const inside = remaining.checkpoint.startsWith(checkpoint);
  const parts = named.flatMap(({ name }) => (name.startsWith(graph) ? [firstPart(name.slice(graph.length))] : []));
  const patterns = inside
    ? [...new Set(parts)].slice(0, patternsShown).map((part) => checkpoint + part)
    : [`${checkpoint}*`];
  return JSON.stringify({ unused: patterns }).slice(1, -1);
}

function firstPart(name: string): string {
  const at = name.indexOf('.');
  return at < 0 ? name : `${name.slice(0, at + 1)}*`;
}
