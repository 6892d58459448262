/** A growing little-endian byte string. */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  get lengthBytes(): number {
    return this.#length;
  }

  u8(value: number): this {
    this.#room(1)[this.#length++] = value;
    return this;
  }

  u32(value: number): this {
    const bytes = this.#room(4);
    new DataView(bytes.buffer).setUint32(this.#length, value, true);
    this.#length += 4;
    return this;
  }

  /** Unsigned LEB128 of 0..2^53 - 1: seven bits a byte, least significant first, shortest form. */
  varint(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    return this.u8(rest);
  }

  append(bytes: Uint8Array): this {
    this.#room(bytes.length).set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** A copy of the written bytes. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #room(count: number): Uint8Array {
    const needed = this.#length + count;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    return this.#bytes;
  }
}

/** Maps whole numbers to whole numbers from 0 on: 0, -1, 1, -2, 2 and so on. */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}
