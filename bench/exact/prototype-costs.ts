import type { WeightDtype } from './weight-file.ts';

/** A code length of the prototype. */
export interface PrototypeCost {
  readonly name: string;
  /** Whether it codes a difference to the checkpoint before. */
  readonly delta: boolean;
  /**
   * Bytes of all words of a checkpoint under an ideal coder with free tables. `previous` has as many words, and is
   * required if `delta` is true.
   */
  bytes(current: Uint8Array, previous: Uint8Array | undefined): number;
}

/** Number of differences that the prototype's word coder has symbols for; other words are stored whole. */
const namedDifferences = 254;
/** Number of contexts: the exponents of bfloat16 and binary32; binary16 has fewer. */
const exponents = 256;
/** Mantissa bits below the exponent of 16-bit words. */
const mantissaBits = { BF16: 7, F16: 10 } as const;
/** Bit lengths of differences of 32-bit words, with the sign. */
const lengths = 64;

const planesAlone: Record<WeightDtype, PrototypeCost> = {
  F32: { name: 'planes, order 0', delta: false, bytes: (current) => planeBytes(rotated32(current), 4) },
  BF16: { name: 'planes, order 0', delta: false, bytes: (current) => planeBytes(rotated16(current), 2) },
  F16: { name: 'planes, order 0', delta: false, bytes: (current) => planeBytes(rotated16(current), 2) },
};
const planesOfXor = (width: 2 | 4): PrototypeCost => ({
  name: 'planes of XOR, order 0',
  delta: true,
  bytes: (current, previous) => planeBytes(xor(wordsOf(current, width), wordsOf(previous!, width)), width),
});

/**
 * The prototype's figures, with which exact mode is compared: ideal code lengths of a whole checkpoint, order 0 with
 * one table for all of it. For binary32: the exponent plane alone; every plane; planes of the XOR and of the difference
 * in the order of numbers; and the bit length of that difference given the previous exponent, with all bits below the
 * leading one raw. For bfloat16: planes, planes of the XOR, and the difference itself given the previous exponent, with
 * large ones stored as words. The prototype did not measure binary16; its figures are those of bfloat16 with its own
 * exponents.
 */
export const prototypeCosts: Readonly<Record<WeightDtype, readonly PrototypeCost[]>> = {
  F32: [
    { name: 'exponents order 0, rest raw', delta: false, bytes: (current) => exponentBytes(rotated32(current)) },
    planesAlone.F32,
    planesOfXor(4),
    {
      name: 'planes of difference, order 0',
      delta: true,
      bytes: (current, previous) => planeBytes(zigzagged(words32(current), words32(previous!)), 4),
    },
    {
      name: 'length of difference given exponent, rest raw',
      delta: true,
      bytes: (current, previous) => lengthBytes(words32(current), words32(previous!)),
    },
  ],
  BF16: [planesAlone.BF16, planesOfXor(2), differences('BF16')],
  F16: [planesAlone.F16, planesOfXor(2), differences('F16')],
};

function differences(dtype: 'BF16' | 'F16'): PrototypeCost {
  const bytes: PrototypeCost['bytes'] = (current, previous) =>
    differenceBytes(words16(current), words16(previous!), mantissaBits[dtype]);
  return { name: 'difference given exponent', delta: true, bytes };
}

type Words = Uint16Array | Uint32Array;

function words32(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

function words16(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
}

function wordsOf(bytes: Uint8Array, width: 2 | 4): Words {
  return width === 4 ? words32(bytes) : words16(bytes);
}

/** The sign is the lowest bit, the exponent the highest byte. */
function rotated32(bytes: Uint8Array): Uint32Array {
  return words32(bytes).map((word) => (word << 1) | (word >>> 31));
}

function rotated16(bytes: Uint8Array): Uint16Array {
  return words16(bytes).map((word) => (word << 1) | (word >>> 15));
}

function xor(words: Words, previous: Words): Words {
  return words.map((word, i) => word ^ previous[i]!);
}

function exponentBytes(rotated: Uint32Array): number {
  return entropyBits(planeCounts(rotated, 24)) / 8 + 3 * rotated.length;
}

/** A plane that coding does not make smaller stays raw. */
function planeBytes(words: Words, width: number): number {
  let bytes = 0;
  for (let shift = 0; shift < 8 * width; shift += 8)
    bytes += Math.min(entropyBits(planeCounts(words, shift)) / 8, words.length);
  return bytes;
}

function planeCounts(words: Words, shift: number): Uint32Array {
  const counts = new Uint32Array(256);
  for (const word of words) counts[(word >>> shift) & 255]! += 1;
  return counts;
}

/** Bits of symbols with these counts, in a code of their own. */
function entropyBits(counts: Uint32Array): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let bits = 0;
  for (const count of counts) if (count > 0) bits -= count * Math.log2(count / total);
  return bits;
}

function lengthBytes(words: Uint32Array, previous: Uint32Array): number {
  const counts = new Uint32Array(exponents * lengths);
  let rawBits = 0;
  for (let i = 0; i < words.length; i += 1) {
    const length = bitLength(zigzag(ordered(words[i]!, 32) - ordered(previous[i]!, 32)));
    counts[((previous[i]! >>> 23) & 255) * lengths + length]! += 1;
    rawBits += Math.max(length - 1, 0);
  }
  return (rowBits(counts, lengths) + rawBits) / 8;
}

/** Modulo 2^32: the prototype drops the plane above. */
function zigzagged(words: Uint32Array, previous: Uint32Array): Uint32Array {
  return words.map((word, i) => zigzag(ordered(word, 32) - ordered(previous[i]!, 32)));
}

function differenceBytes(words: Uint16Array, previous: Uint16Array, mantissa: number): number {
  const counts = new Uint32Array(exponents * exponents);
  let wholeWords = 0;
  for (let i = 0; i < words.length; i += 1) {
    const difference = zigzag(ordered(words[i]!, 16) - ordered(previous[i]!, 16));
    counts[
      ((previous[i]! >>> mantissa) & (32767 >>> mantissa)) * exponents + Math.min(difference, namedDifferences)
    ]! += 1;
    if (difference >= namedDifferences) wholeWords += 1;
  }
  return rowBits(counts, exponents) / 8 + 2 * wholeWords;
}

function rowBits(counts: Uint32Array, rowLength: number): number {
  let bits = 0;
  for (let at = 0; at < counts.length; at += rowLength) bits += entropyBits(counts.subarray(at, at + rowLength));
  return bits;
}

/** Words in the order of the numbers that they stand for, of `width` bits. */
function ordered(word: number, width: 16 | 32): number {
  const half = 2 ** (width - 1);
  return word >= half ? 2 * half - 1 - word : word + half;
}

/** 0, -1, 1, -2, ... as 0, 1, 2, 3, ...; below 2^34. */
function zigzag(difference: number): number {
  return difference < 0 ? -2 * difference - 1 : 2 * difference;
}

function bitLength(value: number): number {
  return value >= 2 ** 32 ? 64 - Math.clz32(value / 2 ** 32) : 32 - Math.clz32(value);
}
