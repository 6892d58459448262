/** Capacity a buffer starts with, in bytes. */
const startBytes = 4096;

/**
 * Collects pieces of any size in one buffer, which doubles as it fills: memory is at most twice the bytes that arrived,
 * even if every piece has one byte. Pieces are copied.
 */
export class GrowingBytes {
  #buffer = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(piece: Uint8Array): void {
    const neededBytes = this.#length + piece.length;
    if (neededBytes > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(neededBytes, 2 * this.#buffer.length, startBytes));
      grown.set(this.view());
      this.#buffer = grown;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = neededBytes;
  }

  /** The bytes so far; valid until the next append. */
  view(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#buffer = new Uint8Array(0);
    this.#length = 0;
  }
}
