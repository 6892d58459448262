/**
 * Objects: immutable byte strings under keys. A put stores the whole object or nothing, and resolves once it is durable
 * (after fsync, or the server's acknowledgement). Every implementation frames the bytes with CRC-32C sums of
 * `chunkBytes` granularity (store/frame/object-frame.ts) and checks them on every read: a damaged chunk rejects with
 * `corrupt-object` before any of its bytes are returned. Other failures: `not-found`, `storage-full`,
 * `payload-too-large`, `unavailable`, `overloaded`, `cancelled`, `internal`.
 */
export interface ObjectStore {
  /**
   * Streams `body` to `key`. An existing key is an error unless `replace` is set. The body is read under back-pressure;
   * memory is a few chunks.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredObject>;
  /** Undefined if there is no such object. */
  stat(key: string): Promise<StoredObject | undefined>;
  /** Random access; `not-found` if there is no such object. Close it. */
  open(key: string): Promise<ObjectReader>;
  /** No error if there is no such object. An open reader may go on reading, or fail with `not-found`. */
  delete(key: string): Promise<void>;
  /**
   * Deletes all keys in as few requests as the implementation can. Tries every one, then rejects with the first
   * failure.
   */
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Every object whose key starts with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /**
   * Removes the remains of unfinished puts that began before `before`, because their process died. Returns their
   * number.
   */
  sweepUnfinished(before: Date, signal?: AbortSignal): Promise<number>;
  /** Resolves if a small object can be written, read back and deleted; for readiness. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

export interface PutOptions {
  /** A longer body rejects with `payload-too-large`, and nothing is stored. */
  readonly sizeMaxBytes: number;
  readonly replace?: boolean;
  readonly signal?: AbortSignal;
}

export interface StoredObject {
  readonly key: string;
  /** Bytes of content. */
  readonly sizeBytes: number;
  /** Bytes in the bucket or directory: content, checksums and frame. */
  readonly storedBytes: number;
}

export interface ListedObject extends StoredObject {
  readonly modifiedAt: Date;
}

export interface ObjectReader {
  readonly sizeBytes: number;
  /**
   * Exactly `lengthBytes` bytes from `offsetBytes`; `invalid-request` beyond the end. They may lie anywhere in `room`,
   * which has at least `roomBytes(lengthBytes)` bytes.
   */
  read(offsetBytes: number, lengthBytes: number, signal?: AbortSignal, room?: Uint8Array): Promise<Uint8Array>;
  /** The range in pieces of at most 1 MiB; end exclusive, defaults to the whole object. */
  stream(startBytes?: number, endBytes?: number, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Tells the store that the bytes will not be read again soon, so that the system can release cached pages. Absent if
   * the implementation has no use for it; never rejects.
   */
  forget?(): Promise<void>;
  close(): Promise<void>;
}

/** Granularity of the checksums, in bytes of content. */
export const chunkBytes = 256 * 1024;

/** Size of the `room` for a read of `lengthBytes`: it holds all chunks that the read touches. */
export function roomBytes(lengthBytes: number): number {
  return lengthBytes + 2 * chunkBytes;
}
