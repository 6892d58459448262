/** Reads the output of BitWriter. Reading past the end gives zeros. */
export class BitReader {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get readBits(): number {
    return this.at;
  }

  bit(): number {
    const bit = (this.bytes[this.at >> 3]! >> (7 - (this.at & 7))) & 1;
    this.at += 1;
    return bit;
  }

  bits(width: number): number {
    let value = 0;
    for (let i = 0; i < width; i += 1) value = value * 2 + this.bit();
    return value;
  }

  float32(): number {
    return new Float32Array(Uint32Array.of(this.bits(32)).buffer)[0]!;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const more = this.bit();
      value += scale * this.bits(7);
      if (more === 0) return value;
    }
  }
}
