/** Writes bits, most significant first, into a growing buffer. */
export class BitWriter {
  private buffer = new Uint8Array(1024);
  private bitCount = 0;

  /** The lowest `width` bits of `value`; width 0..32. */
  bits(value: number, width: number): void {
    this.reserve(width);
    for (let bit = width - 1; bit >= 0; bit -= 1) {
      if ((value >>> bit) & 1) this.buffer[this.bitCount >> 3]! |= 128 >> (this.bitCount & 7);
      this.bitCount += 1;
    }
  }

  float32(value: number): void {
    this.bits(new Uint32Array(Float32Array.of(value).buffer)[0]!, 32);
  }

  /** A whole number below 2^32 in groups of seven bits, each after a bit that says whether another follows. */
  varint(value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.bits(128 | (rest % 128), 8);
    this.bits(rest, 8);
  }

  get writtenBits(): number {
    return this.bitCount;
  }

  finish(): Uint8Array {
    return this.buffer.slice(0, (this.bitCount + 7) >> 3);
  }

  private reserve(width: number): void {
    if (this.bitCount + width <= this.buffer.length * 8) return;
    const larger = new Uint8Array(this.buffer.length * 2);
    larger.set(this.buffer);
    this.buffer = larger;
  }
}
