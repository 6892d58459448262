/**
 * A pool of memory for decoded blocks. A new allocation for each block costs more in page faults and garbage collection
 * than decoding does.
 */
export class BlockMemory {
  /** By the memory itself. Weak, so that a block that is never given back can still be collected. */
  readonly #lent = new WeakMap<ArrayBufferLike, Uint8Array>();
  readonly #free: Uint8Array[] = [];
  readonly #freeMax: number;

  /** Keeps at most `freeMax` unused blocks, the last given back; with 0 each buffer stays its reader's. */
  constructor(freeMax = 16) {
    this.#freeMax = freeMax;
  }

  /** A buffer whose content is undefined. */
  take(lengthBytes: number): Uint8Array {
    const known = this.#free.findIndex((bytes) => bytes.length === lengthBytes);
    const bytes = known < 0 ? plain(Buffer.allocUnsafeSlow(lengthBytes)) : this.#free.splice(known, 1)[0]!;
    this.#lent.set(bytes.buffer, bytes);
    return bytes;
  }

  /** Takes back a buffer of `take`, of which `bytes` is all or a part; ignores any other. */
  give(bytes: Uint8Array): void {
    const whole = this.#lent.get(bytes.buffer);
    if (whole === undefined) return;
    this.#lent.delete(bytes.buffer);
    this.#free.push(whole);
    if (this.#free.length > this.#freeMax) this.#free.shift();
  }
}

/** Views of a Buffer would be Buffers, too. */
function plain({ buffer, byteOffset, length }: Buffer): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}
