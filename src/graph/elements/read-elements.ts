import { FirnError } from '../../checkpoint/firn-error.ts';
import type { GraphSource } from '../onnx/graph-source.ts';
import type { StoredElements } from './stored-elements.ts';
import { WordDecoder } from './word-decoder.ts';

/** Bytes read at once: a multiple of every element's size. */
const pieceBytes = 1024 * 1024;

/**
 * A tensor's little-endian elements from start to end, in pieces of whole elements, aligned to eight bytes. A piece is
 * valid until the next is requested. Errors: `graph-invalid` (varints that are no 16-bit words, or not as many as
 * elements), the source's.
 */
export async function* readElements(
  source: GraphSource,
  stored: StoredElements,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const pieces = filledPieces(source, stored, signal);
  if (stored.encoding === 'elements') return yield* pieces;
  const decoder = new WordDecoder();
  let decodedBytes = 0;
  for await (const piece of pieces) {
    const words = decoder.decode(piece);
    decodedBytes += words.byteLength;
    yield words;
  }
  if (!decoder.complete || decodedBytes !== stored.sizeBytes)
    throw new FirnError('graph-invalid', 'The data of a 16-bit tensor of the graph does not fit its shape.');
}

/** Every piece except the last is full, wherever the spans end. */
async function* filledPieces(
  source: GraphSource,
  { spans }: StoredElements,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const total = spans.reduce((sum, span) => sum + span.lengthBytes, 0);
  const buffer = new Uint8Array(Math.min(pieceBytes, total));
  let filled = 0;
  for (const { startBytes, lengthBytes } of spans) {
    for (let done = 0; done < lengthBytes;) {
      signal?.throwIfAborted();
      const length = Math.min(buffer.byteLength - filled, lengthBytes - done);
      await source.fill(buffer.subarray(filled, filled + length), startBytes + done);
      done += length;
      filled += length;
      if (filled < buffer.byteLength) continue;
      yield buffer;
      filled = 0;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}
