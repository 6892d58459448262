import { compress, decompress } from '@cloudpss/zstd/napi';
import { dtypeBytes } from '../../../src/checkpoint/dtype.ts';
import type { ExactMethod } from '../exact-method.ts';
import type { WeightDtype } from '../weight-file.ts';

/**
 * Byte grouping (Hershcovitch et al. 2024, arXiv 2404.15198) with zstd as coder: each byte of a word goes to a plane of
 * its own, one frame each. Words are rotated left by one bit first, so that the highest byte is the exponent. Only zstd
 * is timed, because memory limits the splitting into planes.
 */
export function bytePlanes(level: number): ExactMethod {
  return {
    name: `byte planes + zstd ${level}`,
    encoder({ bytes, dtype }) {
      const planes = splitPlanes(bytes, dtype);
      return () => planes.map((plane) => compress(plane, level));
    },
    decoder: (payloads, { dtype }) => ({
      decode: () => payloads.map(decompress),
      rebuild: (planes) => joinPlanes(planes, dtype),
    }),
  };
}

/** The planes of little-endian words, lowest byte first. */
export function splitPlanes(bytes: Uint8Array, dtype: WeightDtype): Uint8Array[] {
  const width = dtypeBytes[dtype];
  const planes = Array.from({ length: width }, () => new Uint8Array(bytes.length / width));
  for (let at = 0, word = 0; at < bytes.length; at += width, word += 1) {
    let carry = bytes[at + width - 1]! >>> 7;
    for (let i = 0; i < width; i += 1) {
      const byte = bytes[at + i]!;
      planes[i]![word] = (byte << 1) | carry;
      carry = byte >>> 7;
    }
  }
  return planes;
}

/** The inverse of `splitPlanes`. */
export function joinPlanes(planes: readonly Uint8Array[], dtype: WeightDtype): Uint8Array {
  const width = dtypeBytes[dtype];
  const bytes = new Uint8Array(planes[0]!.length * width);
  for (let at = 0, word = 0; at < bytes.length; at += width, word += 1) {
    for (let i = 0; i < width; i += 1)
      bytes[at + i] = (planes[i]![word]! >>> 1) | (planes[(i + 1) % width]![word]! << 7);
  }
  return bytes;
}
