import { FirnError } from '../checkpoint/firn-error.ts';
import { decodeChunk, parseChunkHeader } from './decode-chunk.ts';
import type { XorbChunk } from './read-xorb.ts';
import type { XetHasher } from './xet-hash.ts';
import { chunkHeaderBytes } from './xet-limits.ts';

/** Chunks of a xorb by their index: `start` inclusive, `end` exclusive, `start` < `end`. */
export interface ChunkRange {
  start: number;
  end: number;
}

/** The bytes of a serialized xorb that hold a range of its chunks. */
export function placeOfChunks(
  chunks: readonly XorbChunk[],
  { start, end }: ChunkRange,
): { offset: number; lengthBytes: number } {
  const offset = chunks[start]!.offset;
  const last = chunks[end - 1]!;
  return { offset, lengthBytes: last.offset + last.lengthBytes - offset };
}

/**
 * Unpacks chunks of a stored xorb, one at a time, from the bytes that `placeOfChunks` names. Each is hashed before it
 * is handed out.
 *
 * @throws FirnError `corrupt-object` if the bytes are not those that `chunks` was made from.
 */
export function* decodeChunkRange(options: {
  chunks: readonly XorbChunk[];
  range: ChunkRange;
  bytes: Uint8Array;
  hasher: XetHasher;
}): Generator<Uint8Array, void> {
  const { chunks, range, bytes, hasher } = options;
  const place = placeOfChunks(chunks, range);
  if (bytes.length !== place.lengthBytes) throw corrupt(range.start);
  for (let index = range.start; index < range.end; index++) {
    const chunk = chunks[index]!;
    const from = chunk.offset - place.offset;
    yield decodeStored(bytes.subarray(from, from + chunk.lengthBytes), { chunk, index, hasher });
  }
}

function decodeStored(bytes: Uint8Array, of: { chunk: XorbChunk; index: number; hasher: XetHasher }): Uint8Array {
  const { chunk, index, hasher } = of;
  let raw: Uint8Array;
  try {
    const header = parseChunkHeader(bytes.subarray(0, chunkHeaderBytes));
    if (header.rawBytes !== chunk.rawBytes || header.packedBytes + chunkHeaderBytes !== bytes.length)
      throw corrupt(index);
    raw = decodeChunk(header, bytes.subarray(chunkHeaderBytes));
  } catch (error) {
    throw error instanceof FirnError ? corrupt(index, error) : error;
  }
  if (hasher.hashChunk(raw) !== chunk.hash) throw corrupt(index);
  return raw;
}

function corrupt(index: number, cause?: FirnError): FirnError {
  return new FirnError('corrupt-object', `Chunk ${index} of a stored xorb is not what was uploaded.`, { cause });
}
