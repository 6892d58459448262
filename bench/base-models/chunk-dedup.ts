import { createHash } from 'node:crypto';

/** Bytes of a chunk, as clients of Xet cut (xet-core, deduplication/src/constants.rs): least, aim, most. */
const chunkBytes = { min: 8 * 1024, aim: 64 * 1024, max: 128 * 1024 };
/** A chunk ends where these bits of the rolling hash are zero: after `chunkBytes.aim` bytes on average. */
const boundaryMask = (chunkBytes.aim - 1) << 16;
/**
 * Random numbers of the rolling hash, one a byte's value. Xet's table is another one, so its edges lie elsewhere, as
 * far apart.
 */
const gear = Int32Array.from({ length: 256 }, (_, value) =>
  createHash('sha256').update(`gear ${value}`).digest().readInt32LE(),
);

/** Digests of the content-defined chunks of a file, with their lengths in bytes. Pure. */
export function contentChunks(bytes: Uint8Array): ReadonlyMap<string, number> {
  const chunks = new Map<string, number>();
  for (let start = 0; start < bytes.length;) {
    const end = chunkEnd(bytes, start);
    chunks.set(createHash('sha256').update(bytes.subarray(start, end)).digest('hex'), end - start);
    start = end;
  }
  return chunks;
}

/** Bytes of a file's chunks that another file lacks: what a store of chunks adds for it, before packing. Pure. */
export function newChunkBytes(bytes: Uint8Array, stored: Uint8Array): number {
  const known = contentChunks(stored);
  let sum = 0;
  for (const [digest, length] of contentChunks(bytes)) if (!known.has(digest)) sum += length;
  return sum;
}

function chunkEnd(bytes: Uint8Array, start: number): number {
  const last = Math.min(start + chunkBytes.max, bytes.length);
  let hash = 0;
  for (let at = start; at < last; at++) {
    hash = ((hash << 1) + gear[bytes[at]!]!) | 0;
    if (at - start + 1 >= chunkBytes.min && (hash & boundaryMask) === 0) return at + 1;
  }
  return last;
}
