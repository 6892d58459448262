import type { QuantizableDtype } from '../checkpoint/dtype.ts';
import { sketchInfinitiesIndex, sketchNansIndex, sketchWords, sketchZerosIndex, type Partition } from './core.ts';

/** The core's rules implemented element by element and slowly, as a reference for the tests of the seam. */

const scratch = new DataView(new ArrayBuffer(4));

export function f32Bits(value: number): number {
  scratch.setFloat32(0, value);
  return scratch.getUint32(0);
}

export function f32FromBits(bits: number): number {
  scratch.setUint32(0, bits);
  return scratch.getFloat32(0);
}

/** A finite binary32 as bfloat16, to nearest, ties to even. */
export function bf16Bits(value: number): number {
  const bits = f32Bits(value);
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** Every finite binary16 by its bits. */
export function f16Value(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const mantissa = bits & 0x3ff;
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1024 + mantissa) * 2 ** (exponent - 25);
}

/** The values of little-endian elements. */
export function valuesOf(bytes: Uint8Array, dtype: QuantizableDtype): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (dtype === 'F32') return Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(i * 4, true));
  return Array.from({ length: bytes.length / 2 }, (_, i) => {
    const bits = view.getUint16(i * 2, true);
    return dtype === 'F16' ? f16Value(bits) : f32FromBits((bits << 16) >>> 0);
  });
}

/** The sketch of `values` (sketch.h). */
export function sketchOf(values: Iterable<number>): BigUint64Array {
  const sketch = new BigUint64Array(sketchWords);
  for (const value of values) {
    const index = Number.isNaN(value)
      ? sketchNansIndex
      : !Number.isFinite(value)
        ? sketchInfinitiesIndex
        : value === 0
          ? sketchZerosIndex
          : f32Bits(value) >>> 17;
    sketch[index]!++;
  }
  return sketch;
}

export function sensitivity(weight: number, gradient: number): number {
  return Math.abs(Math.fround(gradient * weight));
}

/** partition.h, for one weight; `gradient` is absent when there are none. */
export function fateOf(
  weight: number,
  gradient: number | undefined,
  partition: Partition,
): 'protected' | 'pruned' | 'quantized' {
  const m = Math.abs(weight);
  const s = gradient === undefined ? 0 : sensitivity(weight, gradient);
  if (m >= partition.protectMagnitudeMin || (s > 0 && s >= partition.protectSensitivityMin)) return 'protected';
  if (partition.pruneMetric === 'magnitude') return m < partition.pruneBelow ? 'pruned' : 'quantized';
  return gradient !== undefined && s < partition.pruneBelow ? 'pruned' : 'quantized';
}

/** Index of the bin of `value` (assign.h). */
export function binOf(value: number, centroids: Float32Array): number {
  let bin = 0;
  while (bin + 1 < centroids.length && value >= Math.fround((centroids[bin]! + centroids[bin + 1]!) / 2)) bin++;
  return bin;
}

/** Value and run-length tokens of one block, by source level (delta.h). */
export function tokensOf(
  previous: Uint8Array | undefined,
  current: Uint8Array,
  modulus: number,
): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  current.forEach((level, i) => {
    const source = previous?.[i] ?? 0;
    const group = groups.get(source) ?? [];
    group.push((((source - level) % modulus) + modulus) % modulus);
    groups.set(source, group);
  });
  return new Map([...groups].map(([source, differences]) => [source, runLengths(differences)]));
}

function runLengths(differences: number[]): number[] {
  const tokens: number[] = [];
  for (let i = 0; i < differences.length;) {
    let end = i + 1;
    while (end < differences.length && differences[end] === differences[i]) end++;
    tokens.push(-differences[i]!);
    if (end - i > 1) tokens.push(end - i);
    i = end;
  }
  return tokens;
}

/** Total bits of a Huffman code for these tokens; a single kind of token takes one bit each. */
export function huffmanBits(tokens: number[]): number {
  const counts = new Map<number, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  const weights = [...counts.values()];
  if (weights.length === 1) return weights[0]!;
  let bits = 0;
  while (weights.length > 1) {
    weights.sort((a, b) => b - a);
    const merged = weights.pop()! + weights.pop()!;
    bits += merged;
    weights.push(merged);
  }
  return bits;
}

/** CRC-32C bit by bit. */
export function crc32cOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}

/** Numbers in [0, 1) that are the same on every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `count` roughly normal weights of `dtype`, as bytes. */
export function randomWeights(count: number, dtype: QuantizableDtype, seed: number, scale = 0.05): Uint8Array {
  const random = randomNumbers(seed);
  const view = new DataView(new ArrayBuffer(count * (dtype === 'F32' ? 4 : 2)));
  for (let i = 0; i < count; i++) {
    const value = scale * (random() + random() + random() + random() - 2);
    if (dtype === 'F32') view.setFloat32(i * 4, value, true);
    else if (dtype === 'BF16') view.setUint16(i * 2, bf16Bits(value), true);
    // Any finite binary16 pattern below 1 in magnitude.
    else view.setUint16(i * 2, (random() < 0.5 ? 0x8000 : 0) | Math.floor(random() * 0x3c00), true);
  }
  return new Uint8Array(view.buffer);
}
