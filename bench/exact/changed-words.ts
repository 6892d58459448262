import type { HalfDtype } from './weight-file.ts';

/** Words of the largest finite magnitudes. */
const finiteMax: Readonly<Record<HalfDtype, number>> = { BF16: 0x7f7f, F16: 0x7bff };

/**
 * Changes `round(share * length)` words of 16-bit floats, at random places, to the next larger or smaller number, each
 * with probability 1/2, like a training step at a low learning rate. Magnitudes 0 and the largest finite one change in
 * the only possible direction. The same for the same seed.
 */
export function changeWords(
  words: Uint16Array,
  { dtype, share, seed }: { readonly dtype: HalfDtype; readonly share: number; readonly seed: number },
): Uint16Array {
  const random = uniform(seed);
  const changed = words.slice();
  let missing = Math.round(share * words.length);
  for (let i = 0; i < words.length; i += 1) {
    // Selection sampling (Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2S).
    if (random() * (words.length - i) >= missing) continue;
    missing -= 1;
    const magnitude = words[i]! & 0x7fff;
    const away = magnitude === 0 || (magnitude < finiteMax[dtype] && random() < 0.5);
    changed[i] = words[i]! + (away ? 1 : -1);
  }
  return changed;
}

/**
 * Least bits per word for places and directions of such changes: the entropy of the share, and one bit for each change.
 */
export function changeBits(share: number): number {
  const term = (p: number): number => (p === 0 ? 0 : -p * Math.log2(p));
  return term(share) + term(1 - share) + share;
}

/** Numbers in 0..1, exclusive above, from a 32-bit xorshift generator (Marsaglia, "Xorshift RNGs", 2003). */
function uniform(seed: number): () => number {
  let state = (Math.imul(seed, 0x9e3779b1) ^ 0x2545f491) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
