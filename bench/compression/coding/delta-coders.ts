import { countSymbols, huffmanBits } from './huffman.ts';

/** Bins of one codebook's weights in two checkpoints; without previous ones, all of those count as 0. */
export interface BinPair {
  readonly current: ArrayLike<number>;
  readonly previous?: ArrayLike<number> | undefined;
  /** The larger bin count of both. */
  readonly modulus: number;
}

/** Inshrinkerator section 6, "Calculating Delta": (previous - current) mod B. */
export function cyclicDelta({ current, previous, modulus }: BinPair): Int32Array {
  return Int32Array.from(current, (bin, i) => ((previous?.[i] ?? 0) - bin + modulus) % modulus);
}

/**
 * Section 6, "Encoding Delta": each run becomes its negated value, followed by the length of the run if it is above 1.
 * Zero is its own negation.
 */
export function runLengthTokens(values: ArrayLike<number>): number[] {
  const tokens: number[] = [];
  for (let at = 0; at < values.length;) {
    let end = at + 1;
    while (end < values.length && values[end] === values[at]) end += 1;
    tokens.push(values[at] === 0 ? 0 : -values[at]!);
    if (end - at > 1) tokens.push(end - at);
    at = end;
  }
  return tokens;
}

export const deltaCoders = ['Huffman', 'run-length + Huffman', 'rearranged'] as const;
export type DeltaCoder = (typeof deltaCoders)[number];

/**
 * Code length in bits of one stream, tables included: HE, RLE and PE of Inshrinkerator section 9.3 (figure 11).
 * Rearranged: one stream and table for each bin of the previous checkpoint (algorithm 5).
 */
export function deltaBits(coder: DeltaCoder, pair: BinPair): number {
  const delta = cyclicDelta(pair);
  switch (coder) {
    case 'Huffman':
      return huffmanBits(countSymbols(delta));
    case 'run-length + Huffman':
      return huffmanBits(countSymbols(runLengthTokens(delta)));
    case 'rearranged':
      return rearranged(delta, pair.previous).reduce(
        (bits, group) => bits + huffmanBits(countSymbols(runLengthTokens(group))),
        0,
      );
  }
}

function rearranged(delta: Int32Array, previous: ArrayLike<number> | undefined): number[][] {
  const groups = new Map<number, number[]>();
  for (let i = 0; i < delta.length; i += 1) {
    const bin = previous?.[i] ?? 0;
    const group = groups.get(bin);
    if (group === undefined) groups.set(bin, [delta[i]!]);
    else group.push(delta[i]!);
  }
  return [...groups.values()];
}

/** Bits of a checkpoint: one stream over all codebooks or one for each, whichever is smaller. */
export function cheapestDeltaBits(coder: DeltaCoder, pairs: readonly BinPair[]): number {
  const apart = pairs.reduce((bits, pair) => bits + deltaBits(coder, pair), 0);
  const isDelta = pairs.every(({ previous }) => previous !== undefined);
  const together = {
    current: pairs.flatMap(({ current }) => Array.from(current)),
    previous: isDelta ? pairs.flatMap(({ previous }) => Array.from(previous!)) : undefined,
    modulus: Math.max(1, ...pairs.map(({ modulus }) => modulus)),
  };
  return Math.min(apart, deltaBits(coder, together));
}
