/** Reproducible uniform numbers in 0..1, exclusive above (xorshift32). */
export function uniformNoise(count: number, seed: number): Float64Array {
  let state = (seed * 0x9e3779b1) >>> 0 || 1;
  return Float64Array.from({ length: count }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  });
}
