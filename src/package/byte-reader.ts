import { corruptPackage } from './corrupt-package.ts';

/**
 * Reads little-endian fields of hostile bytes in order. Every method throws `corrupt-package` past the end. Views share
 * the input.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    // Views of a Buffer would be Buffers.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get remainingBytes(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.take(1)[0]!;
  }

  u32(): number {
    const bytes = this.take(4);
    return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  }

  /** Unsigned LEB128 in its shortest form, 0..`max`. */
  varint(max: number, what: string): number {
    let value = 0;
    let weight = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * weight;
      if (value > max) throw corruptPackage(`${what} is above ${max}`);
      if (byte < 0x80) {
        if (byte === 0 && weight > 1) throw corruptPackage(`${what} is not in its shortest form`);
        return value;
      }
      weight *= 0x80;
      // Every limit is below 2^56; stopping here keeps `value` exact.
      if (weight > 2 ** 49) throw corruptPackage(`${what} has too many bytes`);
    }
  }

  take(count: number): Uint8Array {
    if (count > this.remainingBytes) throw corruptPackage('the bytes end inside a field');
    const bytes = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += count;
    return bytes;
  }

  rest(): Uint8Array {
    return this.take(this.remainingBytes);
  }

  end(what: string): void {
    if (this.remainingBytes > 0) throw corruptPackage(`${what} has ${this.remainingBytes} bytes too many`);
  }
}

/** Inverse of `zigzag`. */
export function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
