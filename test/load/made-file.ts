import { createHash } from 'node:crypto';
import { buildSafetensorsHeader } from '../../src/checkpoint/safetensors/safetensors-header.ts';
import { randomBytesOf } from '../acceptance/random-numbers.ts';

/** Bytes generated at once. */
const pieceBytes = 1024 * 1024;
/** Bytes of one tensor. */
const tensorBytes = 64 * 1024 * 1024;

/** A safetensors file that is generated while it is read, the same every time, and stored nowhere. */
export interface MadeFile {
  readonly sizeBytes: number;
  /** Pieces of at most a MiB; they must not be changed, and are valid only until the next one. */
  pieces(): Generator<Buffer>;
  sha256(): string;
}

/** BF16 weights with repeating exponents and random mantissas. The seed decides every piece. */
export function madeFile(mib: number, seed: number): MadeFile {
  const count = Math.max(1, Math.round((mib * 2 ** 20) / tensorBytes));
  const bytes = Math.round((mib * 2 ** 20) / count / pieceBytes) * pieceBytes;
  const tensors = Array.from({ length: count }, (_, i) => ({
    name: `h.${i}.weight`,
    dtype: 'BF16' as const,
    shape: [bytes / 2048, 1024],
  }));
  const { headerBytes, sizeBytes } = buildSafetensorsHeader(tensors, {});
  const pattern = bfloat16Pattern(seed);
  function* pieces(): Generator<Buffer> {
    yield Buffer.from(headerBytes);
    const piece = Buffer.alloc(pieceBytes);
    const words = new Uint32Array(piece.buffer, piece.byteOffset, pieceBytes / 4);
    const from = new Uint32Array(pattern.buffer, pattern.byteOffset, pieceBytes / 4);
    for (let number = 0; number < (count * bytes) / pieceBytes; number++) {
      // Changes only the low bits of each word's mantissa, so that no two pieces are equal and exponents stay.
      const mask = (Math.imul(number + 1, 0x9e3779b1) >>> 3) & 0x003f003f;
      for (let i = 0; i < words.length; i++) words[i] = from[i]! ^ mask;
      yield piece;
    }
  }
  return {
    sizeBytes,
    pieces,
    sha256() {
      const digest = createHash('sha256');
      for (const piece of pieces()) digest.update(piece);
      return digest.digest('hex');
    },
  };
}

function bfloat16Pattern(seed: number): Buffer {
  const bytes = randomBytesOf(pieceBytes, seed);
  // Sign and the low bits of exponent and mantissa stay random.
  for (let at = 1; at < bytes.length; at += 2) bytes[at] = (bytes[at]! & 0x81) | 0x3c;
  return bytes;
}
