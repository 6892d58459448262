import type { LastReads } from './last-reads.ts';
import { chunkBytes, type ObjectReader } from './object-store.ts';
import { throwIfAborted } from './until-aborted.ts';

/** Reads of at most this much are small, in bytes. */
const smallBytesMax = chunkBytes / 4;

/**
 * The reader of the object `key`, whose small reads come out of whole chunks, of which the last are kept in `chunks`: a
 * store reads and checks whole ones anyway, and for neighbouring reads does so once. Others pass.
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
      // Two at most.
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
