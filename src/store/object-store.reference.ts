/**
 * For tests only. CRC-32C one byte at a time, as RFC 3720 appendix B.4 describes it: independent of the native core,
 * which need not be built.
 */
export function referenceCrc32c(bytes: Uint8Array, seed = 0): number {
  let sum = ~seed >>> 0;
  for (const byte of bytes) sum = (sum >>> 8) ^ crcTable[(sum ^ byte) & 0xff]!;
  return ~sum >>> 0;
}
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0x82f63b78 : sum >>> 1;
  return sum;
});

/** For tests only. `size` bytes that depend on their place and on the seed. */
export function patternBytes(size: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let i = 0, state = seed >>> 0; i < size; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}
