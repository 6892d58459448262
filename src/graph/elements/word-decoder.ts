import { FirnError } from '../../checkpoint/firn-error.ts';

/** Bits of the longest varint for a 16-bit word: three bytes. */
const wordVarintBitsMax = 21;

/**
 * Decodes varints of 16-bit elements, one per element, as ONNX may store them in `int32_data`, into words, piece by
 * piece.
 */
export class WordDecoder {
  private word = 0;
  private shift = 0;

  /** The little-endian words that end in `piece`. Errors: `graph-invalid` for a value of more than 16 bits. */
  decode(piece: Uint8Array): Uint8Array {
    const words = new Uint8Array(2 * (piece.byteLength + 1));
    let at = 0;
    for (const byte of piece) {
      this.word |= (byte & 0x7f) << this.shift;
      this.shift += 7;
      if (byte >= 0x80 && this.shift < wordVarintBitsMax) continue;
      if (byte >= 0x80 || this.word > 0xffff) throw wideWord();
      words[at++] = this.word & 0xff;
      words[at++] = this.word >> 8;
      this.word = 0;
      this.shift = 0;
    }
    return words.subarray(0, at);
  }

  /** True between words. */
  get complete(): boolean {
    return this.shift === 0;
  }
}

function wideWord(): FirnError {
  return new FirnError('graph-invalid', 'A 16-bit tensor of the graph holds a value of more than 16 bits.');
}
