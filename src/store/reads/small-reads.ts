import type { LastReads } from './last-reads.ts';
import { chunkBytes, type ObjectReader } from '../object-store.ts';
import { throwIfAborted } from '../until-aborted.ts';

/** Longest small read, in bytes. */
const smallBytesMax = chunkBytes / 4;

/**
 * The reader of the object `key`, with small reads served from whole chunks that are cached in `chunks`. A store reads
 * and verifies whole chunks anyway; this does it once for neighbouring reads. Longer reads pass through.
 */
export function withSmallReads(reader: ObjectReader, key: string, chunks: LastReads): ObjectReader {
  const chunk = (number: number): Promise<Uint8Array> =>
    chunks.get(`${number} ${key}`, () =>
      reader.read(number * chunkBytes, Math.min(chunkBytes, reader.sizeBytes - number * chunkBytes)),
    );
  return {
    sizeBytes: reader.sizeBytes,
    async read(offsetBytes, lengthBytes, signal, room) {
      const endBytes = offsetBytes + lengthBytes;
      if (lengthBytes === 0 || lengthBytes > smallBytesMax || endBytes > reader.sizeBytes)
        return reader.read(offsetBytes, lengthBytes, signal, room);
      throwIfAborted(signal);
      const bytes = new Uint8Array(lengthBytes);
      // A small read touches at most two chunks.
      for (let at = offsetBytes; at < endBytes;) {
        const number = Math.floor(at / chunkBytes);
        const part = (await chunk(number)).subarray(at - number * chunkBytes, endBytes - number * chunkBytes);
        bytes.set(part, at - offsetBytes);
        at += part.length;
      }
      throwIfAborted(signal);
      return bytes;
    },
    stream: (...range) => reader.stream(...range),
    ...(reader.forget !== undefined && { forget: () => reader.forget!() }),
    close: () => reader.close(),
  };
}
