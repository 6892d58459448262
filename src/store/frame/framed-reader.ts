import { FirnError } from '../../checkpoint/firn-error.ts';
import { corrupt, type FrameTable } from './object-frame.ts';
import type { ObjectReader } from '../object-store.ts';
import { throwIfAborted } from '../until-aborted.ts';

/**
 * Size of one piece of a stream, in bytes, a multiple of the checksum chunk: large enough to hide the latency of a disk
 * call, small enough that a slow client holds little memory.
 */
export const pieceBytes = 256 * 1024;

/**
 * A reader's access to its implementation: reads a range of the stored bytes, shorter if the object ends. The bytes may
 * lie at the start of `room`.
 */
export interface StoredBytes {
  /**
   * Bytes of one read of a stream, a multiple of `pieceBytes`, which is the default. Two such reads are in memory at
   * once.
   */
  readonly fetchBytes?: number;
  /** How often bytes with wrong checksums are read again; never by default. */
  readonly rereadsMax?: number;
  readRange(startBytes: number, endBytes: number, signal?: AbortSignal, room?: Uint8Array): Promise<Uint8Array>;
  /** See `ObjectReader.forget`. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** Reads framed content: fetches whole chunks, verifies them, and only then returns the requested part. */
export class FramedReader implements ObjectReader {
  readonly sizeBytes: number;
  readonly #table: FrameTable;
  readonly #stored: StoredBytes;

  constructor(table: FrameTable, stored: StoredBytes) {
    this.sizeBytes = table.contentBytes;
    this.#table = table;
    this.#stored = stored;
  }

  async read(offsetBytes: number, lengthBytes: number, signal?: AbortSignal, room?: Uint8Array): Promise<Uint8Array> {
    this.#checkRange(offsetBytes, offsetBytes + lengthBytes);
    return this.#readChecked(offsetBytes, offsetBytes + lengthBytes, signal, room);
  }

  async *stream(startBytes = 0, endBytes = this.sizeBytes, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    this.#checkRange(startBytes, endBytes);
    const { fetchBytes = pieceBytes } = this.#stored;
    const endOf = (at: number): number => Math.min(endBytes, nextMultiple(at, fetchBytes));
    // One read runs ahead while the consumer works on the previous one.
    let ahead: Promise<Uint8Array> | undefined;
    for (let at = startBytes; at < endBytes;) {
      const next = endOf(at);
      const fetched = await (ahead ?? this.#readChecked(at, next, signal));
      ahead = next < endBytes ? this.#readChecked(next, endOf(next), signal) : undefined;
      // A failure is reported when the read is awaited; a consumer that stops early never awaits it.
      ahead?.catch(() => undefined);
      for (let cut = at; cut < next;) {
        const cutEnd = Math.min(next, nextMultiple(cut, pieceBytes));
        yield fetched.subarray(cut - at, cutEnd - at);
        cut = cutEnd;
      }
      at = next;
    }
  }

  forget(): Promise<void> {
    return this.#stored.forget();
  }

  close(): Promise<void> {
    return this.#stored.close();
  }

  #checkRange(startBytes: number, endBytes: number): void {
    const whole = Number.isSafeInteger(startBytes) && Number.isSafeInteger(endBytes);
    if (!whole || startBytes < 0 || endBytes < startBytes || endBytes > this.sizeBytes) {
      throw new FirnError('invalid-request', 'The range lies outside of the object.', {
        detail: `${startBytes}..${endBytes} of ${this.sizeBytes}`,
      });
    }
  }

  async #readChecked(
    startBytes: number,
    endBytes: number,
    signal: AbortSignal | undefined,
    room?: Uint8Array,
  ): Promise<Uint8Array> {
    throwIfAborted(signal);
    if (endBytes === startBytes) return new Uint8Array(0);
    const [first, last] = this.#table.chunksAround(startBytes, endBytes);
    const chunks = await this.#readChunks(first, last, signal, room);
    const part = chunks.subarray(startBytes - first, endBytes - first);
    // Copy a small part, so that it does not keep its chunks in memory.
    return room === undefined && 2 * part.length < chunks.length ? new Uint8Array(part) : part;
  }

  async #readChunks(
    first: number,
    last: number,
    signal: AbortSignal | undefined,
    room: Uint8Array | undefined,
  ): Promise<Uint8Array> {
    for (let rereadsLeft = this.#stored.rereadsMax ?? 0; ; rereadsLeft--) {
      const chunks = await this.#stored.readRange(first, last, signal, room);
      throwIfAborted(signal);
      try {
        if (chunks.length !== last - first) throw corrupt('the object ends early');
        this.#table.verify(first, chunks);
        return chunks;
      } catch (err) {
        if (rereadsLeft === 0) throw err;
      }
    }
  }
}

function nextMultiple(atBytes: number, ofBytes: number): number {
  return (Math.floor(atBytes / ofBytes) + 1) * ofBytes;
}
