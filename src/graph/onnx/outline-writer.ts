import { FirnError } from '../../checkpoint/firn-error.ts';

/**
 * Bytes of a length written before it is known: enough for 2^35; unused ones are padding that every protobuf reader
 * accepts.
 */
const lengthBytes = 5;
const firstCapacityBytes = 64 * 1024;

/** Protobuf bytes, written in order up to a bound. Errors of the writing calls: `graph-invalid` beyond it. */
export class OutlineWriter {
  private bytes = new Uint8Array(firstCapacityBytes);
  private used = 0;
  private readonly maxBytes: number;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.byteLength);
    this.bytes.set(bytes, this.used);
    this.used += bytes.byteLength;
  }

  /** Checks that as many more bytes are inside the bound. */
  reserve(count: number): void {
    const needed = this.used + count;
    if (needed > this.maxBytes)
      throw new FirnError(
        'graph-invalid',
        `The graph holds more than ${this.maxBytes} bytes beside the data of its tensors.`,
      );
    if (needed <= this.bytes.byteLength) return;
    const grown = new Uint8Array(Math.min(this.maxBytes, Math.max(needed, 2 * this.bytes.byteLength)));
    grown.set(this.bytes.subarray(0, this.used));
    this.bytes = grown;
  }

  /** Reserves room for a length and returns its place, for `endLength` once the contents are written. */
  beginLength(): number {
    this.reserve(lengthBytes);
    this.used += lengthBytes;
    return this.used;
  }

  endLength(place: number): void {
    let length = this.used - place;
    for (let at = place - lengthBytes; at < place; at += 1) {
      this.bytes[at] = (length % 128) | (at === place - 1 ? 0 : 0x80);
      length = Math.floor(length / 128);
    }
  }

  /** The written bytes, in memory of exactly that size. */
  finish(): Uint8Array {
    return this.bytes.slice(0, this.used);
  }
}
