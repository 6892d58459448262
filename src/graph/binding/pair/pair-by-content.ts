import type { GraphInitializer } from '../../describe-graph.ts';
import { hasMatchableContent, layoutKey, matchableLayouts, matchByContent } from '../../match-by-content.ts';
import type { KnownBytes } from '../bind-request.ts';
import type { Pair } from './pair.ts';
import type { HeaderPairs } from './pair-by-headers.ts';

/** Initializers that headers leave unpaired and that have bytes to compare. */
export function leftToContent({ graph, pairs, isConstant }: HeaderPairs): GraphInitializer[] {
  return graph.initializers.filter(
    (each) => hasMatchableContent(each) && !pairs.has(each.name) && !isConstant(each.name),
  );
}

/**
 * Pairs by equal bytes the initializers that headers left unpaired. An initializer gets the tensor of another
 * initializer with the same bytes (the exporter stored a tied weight twice), else the tensor with these bytes.
 */
export function pairByContent(
  headers: HeaderPairs,
  { digests = new Map(), contents = new Map() }: KnownBytes,
): ReadonlyMap<string, Pair> {
  const { tensors, pairs } = headers;
  const rest = leftToContent(headers);
  const tied = pairWithTwins(headers, rest, contents);
  const initializers = rest.filter((each) => !tied.has(each.name));
  const taken = new Set([...pairs.values()].map((pair) => pair.tensor));
  const matches = matchByContent({ initializers, contents, tensors, digests, taken });
  return new Map([
    ...tied,
    ...matches.map(({ initializer, tensor, transpose }): [string, Pair] => [
      initializer,
      { tensor, transpose, by: 'content' },
    ]),
  ]);
}

function pairWithTwins(
  { graph, pairs }: HeaderPairs,
  rest: readonly GraphInitializer[],
  contents: NonNullable<KnownBytes['contents']>,
): Map<string, Pair> {
  const paired = new Map<string, Pair | undefined>();
  for (const initializer of graph.initializers) {
    const pair = pairs.get(initializer.name);
    const plain = contents.get(initializer.name)?.plain;
    if (pair === undefined || plain === undefined) continue;
    const key = layoutKey(initializer) + plain;
    const known = paired.get(key);
    // If there are two tensors, it is unknown which one it is.
    const isSame = !paired.has(key) || (known?.tensor === pair.tensor && known.transpose === pair.transpose);
    paired.set(key, isSame ? pair : undefined);
  }
  const twins = new Map<string, Pair>();
  for (const initializer of rest) {
    const content = contents.get(initializer.name);
    if (content === undefined || content.uniform === true) continue;
    const [own, turned] = matchableLayouts(initializer);
    const same = content.plain === undefined ? undefined : paired.get(own! + content.plain);
    const other =
      content.transposed === undefined || turned === undefined ? undefined : paired.get(turned + content.transposed);
    if (same !== undefined) twins.set(initializer.name, { ...same, by: 'tied' });
    else if (other !== undefined)
      twins.set(initializer.name, { tensor: other.tensor, transpose: !other.transpose, by: 'tied' });
  }
  return twins;
}
