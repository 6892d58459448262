/**
 * Memory for decoded blocks, used again once a block is done with: blocks made anew one after the other cost more in
 * page faults and garbage collection than in decoding.
 */
export class BlockMemory {
  /** Weak: whoever does not give a block back keeps nobody from collecting it. */
  readonly #lent = new WeakSet<Uint8Array>();
  readonly #free: Uint8Array[] = [];
  readonly #freeMax: number;

  /** Keeps at most `freeMax` blocks that nobody uses. */
  constructor(freeMax = 16) {
    this.#freeMax = freeMax;
  }

  /** Bytes with any content. */
  take(lengthBytes: number): Uint8Array {
    const known = this.#free.findIndex((bytes) => bytes.length === lengthBytes);
    const bytes = known < 0 ? plain(Buffer.allocUnsafeSlow(lengthBytes)) : this.#free.splice(known, 1)[0]!;
    this.#lent.add(bytes);
    return bytes;
  }

  /** Takes back what `take` gave; anything else is left alone. */
  give(bytes: Uint8Array): void {
    if (this.#lent.delete(bytes) && this.#free.length < this.#freeMax) this.#free.push(bytes);
  }
}

/** A Buffer's views would be Buffers. */
function plain({ buffer, byteOffset, length }: Buffer): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}
