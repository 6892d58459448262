import { LastReads } from '../../store/reads/last-reads.ts';
import { chunkBytes, type ObjectReader } from '../../store/object-store.ts';

/** Windows of one package kept in memory: 1 MiB. */
const windowCountMax = 4;

/**
 * Random access to a package's bytes for many small reads. It reads whole windows of the store's checksum granularity
 * and caches the last few, so that neighbouring payloads cost one read and one checksum. Opens the object at the first
 * read.
 */
export class PackageBytes {
  readonly #open: () => Promise<ObjectReader>;
  readonly #windows = new LastReads(windowCountMax);
  #reader: Promise<ObjectReader> | undefined;

  constructor(open: () => Promise<ObjectReader>) {
    this.#open = open;
  }

  async sizeBytes(): Promise<number> {
    return (await this.#object()).sizeBytes;
  }

  /**
   * Exactly `lengthBytes` bytes from `offsetBytes`, inside the object. The caller must not change them: they may be
   * shared.
   */
  async read(offsetBytes: number, lengthBytes: number): Promise<Uint8Array> {
    if (lengthBytes === 0) return new Uint8Array(0);
    const first = Math.floor(offsetBytes / chunkBytes);
    const last = Math.floor((offsetBytes + lengthBytes - 1) / chunkBytes);
    if (first === last) return part(await this.#window(first), offsetBytes - first * chunkBytes, lengthBytes);
    const windows: Promise<Uint8Array>[] = [];
    for (let number = first; number <= last; number++) windows.push(this.#window(number));
    // Join the requested part of each window.
    return Buffer.concat(
      (await Promise.all(windows)).map((window, i) =>
        part(window, offsetBytes - (first + i) * chunkBytes, lengthBytes),
      ),
    );
  }

  async close(): Promise<void> {
    this.#windows.clear();
    const reader = this.#reader;
    this.#reader = undefined;
    await reader?.then(
      (object) => object.close(),
      () => undefined,
    );
  }

  #object(): Promise<ObjectReader> {
    this.#reader ??= this.#open();
    return this.#reader;
  }

  #window(number: number): Promise<Uint8Array> {
    return this.#windows.get(String(number), async () => {
      const object = await this.#object();
      const start = number * chunkBytes;
      return object.read(start, Math.min(chunkBytes, object.sizeBytes - start));
    });
  }
}

/** The part of `window` inside the `lengthBytes` bytes from `startBytes` on, which may begin before the window. */
function part(window: Uint8Array, startBytes: number, lengthBytes: number): Uint8Array {
  return window.subarray(Math.max(0, startBytes), startBytes + lengthBytes);
}
