/**
 * Objects: immutable byte strings under keys. A put is whole or not at all, and durable (fsync, or the server's word)
 * when it resolves. Every implementation frames the bytes with CRC-32C sums of `chunkBytes` granularity
 * (store/frame/object-frame.ts) and checks them on every read: a damaged chunk rejects with `corrupt-object` before any
 * of its bytes are handed out. Other failures: `not-found`, `storage-full`, `payload-too-large`, `unavailable`,
 * `overloaded`, `cancelled`, `internal`.
 */
export interface ObjectStore {
  /**
   * Streams `body` to `key`, replacing nothing: an existing key is an error unless `replace`. Back-pressure is kept;
   * memory is a few chunks.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredObject>;
  /** Undefined when absent. */
  stat(key: string): Promise<StoredObject | undefined>;
  /** Random access; `not-found` when absent. Close it. */
  open(key: string): Promise<ObjectReader>;
  /** No error when absent. A reader that is open reads on, or says `not-found`. */
  delete(key: string): Promise<void>;
  /**
   * Deletes them all, in as few requests as the implementation can; rejects with the first failure after it has tried
   * every one.
   */
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Every object whose key starts with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /**
   * Removes what puts left that began before `before` and never ended, because their process died. Returns how many.
   */
  sweepUnfinished(before: Date, signal?: AbortSignal): Promise<number>;
  /** Resolves when a small object can be written, read back and deleted; for readiness. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

export interface PutOptions {
  /** More bytes than this reject with `payload-too-large`; nothing stays. */
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
   * Says that the bytes will not be read again soon, so that memory they are kept in can be used for others. Absent
   * where nothing comes of it; never rejects.
   */
  forget?(): Promise<void>;
  close(): Promise<void>;
}

/** Granularity of the checksums, in bytes of content. */
export const chunkBytes = 256 * 1024;

/** Bytes of a room for a read of `lengthBytes`: all chunks that the read touches fit in. */
export function roomBytes(lengthBytes: number): number {
  return lengthBytes + 2 * chunkBytes;
}
