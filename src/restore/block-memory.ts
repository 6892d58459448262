/**
 * A pool of memory for decoded blocks. A new allocation for each block costs more in page faults and garbage collection
 * than decoding does.
 */
export class BlockMemory {
  /** Weak, so that a block that is never given back can still be collected. */
  readonly #lent = new WeakSet<Uint8Array>();
  readonly #free: Uint8Array[] = [];
  readonly #freeMax: number;

  /** Keeps at most `freeMax` unused blocks; with 0 each buffer stays its reader's. */
  constructor(freeMax = 16) {
    this.#freeMax = freeMax;
  }

  /** A buffer whose content is undefined. */
  take(lengthBytes: number): Uint8Array {
    const known = this.#free.findIndex((bytes) => bytes.length === lengthBytes);
    const bytes = known < 0 ? plain(Buffer.allocUnsafeSlow(lengthBytes)) : this.#free.splice(known, 1)[0]!;
    this.#lent.add(bytes);
    return bytes;
  }

  /** Takes back a buffer of `take`; ignores any other. */
  give(bytes: Uint8Array): void {
    if (this.#lent.delete(bytes) && this.#free.length < this.#freeMax) this.#free.push(bytes);
  }
}

/** Views of a Buffer would be Buffers, too. */
function plain({ buffer, byteOffset, length }: Buffer): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}
