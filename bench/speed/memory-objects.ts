import { FirnError } from '../../src/checkpoint/firn-error.ts';
import type {
  ListedObject,
  ObjectReader,
  ObjectStore,
  PutOptions,
  StoredObject,
} from '../../src/store/object-store.ts';

/** Objects in memory, returned without copies, so that only the work outside the store is measured. */
export class MemoryObjects implements ObjectStore {
  readonly #objects = new Map<string, Uint8Array>();

  /** Stores `bytes` without a copy. */
  keep(key: string, bytes: Uint8Array): void {
    this.#objects.set(key, bytes);
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredObject> {
    const pieces: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const piece of body) {
      pieces.push(piece);
      sizeBytes += piece.length;
    }
    if (sizeBytes > options.sizeMaxBytes) throw new FirnError('payload-too-large', 'The content is too large.');
    this.keep(key, Buffer.concat(pieces));
    return { key, sizeBytes, storedBytes: sizeBytes };
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    const bytes = this.#objects.get(key);
    return bytes === undefined ? undefined : { key, sizeBytes: bytes.length, storedBytes: bytes.length };
  }

  async open(key: string): Promise<ObjectReader> {
    const bytes = this.#objects.get(key);
    if (bytes === undefined) throw new FirnError('not-found', 'There is no such object.');
    // Parts of a Buffer would be Buffers, too.
    const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    return {
      sizeBytes: plain.length,
      read: async (at, length) => plain.subarray(at, at + length),
      stream: async function* (start = 0, end = plain.length) {
        yield plain.subarray(start, end);
      },
      close: async () => undefined,
    };
  }

  async delete(key: string): Promise<void> {
    this.#objects.delete(key);
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#objects.delete(key);
  }

  async sweepUnfinished(): Promise<number> {
    return 0;
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    for (const [key, bytes] of this.#objects) {
      if (key.startsWith(prefix))
        yield { key, sizeBytes: bytes.length, storedBytes: bytes.length, modifiedAt: new Date(0) };
    }
  }

  async probe(): Promise<void> {}
  async close(): Promise<void> {}
}
