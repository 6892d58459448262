/** Seeded uniform numbers in [0, 1): mulberry32, good enough for test data and the same on every machine. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One number of the standard normal distribution (Box and Muller). */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Incompressible bytes. */
export function randomBytesOf(count: number, seed: number): Buffer {
  const random = randomNumbers(seed);
  return Buffer.from(Uint8Array.from({ length: count }, () => Math.floor(random() * 256)));
}
