import { FirnError } from '../checkpoint/firn-error.ts';
import type { ListedObject, ObjectReader, ObjectStore, PutOptions, StoredObject } from '../store/object-store.ts';

/** Objects in a map, for tests that change their bytes. Counts reads. */
export class MemoryStore implements ObjectStore {
  readonly objects = new Map<string, Uint8Array>();
  reads = 0;
  openReaders = 0;

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredObject> {
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(Uint8Array.from(piece));
    const bytes = Buffer.concat(pieces);
    if (bytes.length > options.sizeMaxBytes) throw new FirnError('payload-too-large', 'Too large.');
    this.objects.set(key, bytes);
    return { key, sizeBytes: bytes.length, storedBytes: bytes.length };
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    const bytes = this.objects.get(key);
    return bytes === undefined ? undefined : { key, sizeBytes: bytes.length, storedBytes: bytes.length };
  }

  async open(key: string): Promise<ObjectReader> {
    const bytes = this.objects.get(key);
    if (bytes === undefined) throw new FirnError('not-found', 'Absent.');
    this.openReaders++;
    return {
      sizeBytes: bytes.length,
      read: async (offsetBytes, lengthBytes) => {
        this.reads++;
        if (offsetBytes < 0 || offsetBytes + lengthBytes > bytes.length)
          throw new FirnError('invalid-request', 'Beyond the end.');
        return bytes.slice(offsetBytes, offsetBytes + lengthBytes);
      },
      stream: async function* (startBytes = 0, endBytes = bytes.length) {
        yield bytes.slice(startBytes, endBytes);
      },
      close: async () => {
        this.openReaders--;
      },
    };
  }

  async delete(key: string): Promise<void> {
    this.objects.delete(key);
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.objects.delete(key);
  }

  async sweepUnfinished(): Promise<number> {
    return 0;
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    for (const [key, bytes] of this.objects) {
      if (key.startsWith(prefix))
        yield { key, sizeBytes: bytes.length, storedBytes: bytes.length, modifiedAt: new Date(0) };
    }
  }

  async probe(): Promise<void> {}
  async close(): Promise<void> {}
}
