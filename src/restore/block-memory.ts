/**
 * Memory for decoded blocks, used again once a block is done with: blocks made anew one after the other cost more in page faults and garbage
 * collection than in decoding.
 */
export class BlockMemory {
  readonly #lent = new Set<Uint8Array>();
  readonly #free: Uint8Array[] = [];

  /** Bytes with any content. */
  take(lengthBytes: number): Uint8Array {
    const known = this.#free.findIndex((bytes) => bytes.length === lengthBytes);
    const bytes = known < 0 ? new Uint8Array(lengthBytes) : this.#free.splice(known, 1)[0]!;
    this.#lent.add(bytes);
    return bytes;
  }

  /** Takes back what `take` gave; anything else is left alone. */
  give(bytes: Uint8Array): void {
    if (this.#lent.delete(bytes)) this.#free.push(bytes);
  }
}
