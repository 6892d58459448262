import { latticeEscape, latticeSymbols, type JointSymbols } from '../../native/core.ts';
import { mergedJointSymbolsMax } from '../../package/format-limits.ts';

/** Bits of one symbol in a packed joint symbol. */
const symbolBits = 5;
/** A joint symbol that occurs once is escaped: its place in the list would take as many bytes. */
const listedOccurrencesMin = 2;
/** Rank of a packed joint symbol that is not listed. */
const unlisted = 0xffff;

/**
 * The symbols of one block in all checkpoints of a merged package, `symbolBits` each, the first checkpoint's lowest.
 */
export type PackedJointSymbols = Uint32Array;

/** Packs the symbols of one block, given as one array per checkpoint. */
export function packJointSymbols(symbols: readonly Uint8Array[]): PackedJointSymbols {
  const packed = new Uint32Array(symbols[0]!.length);
  for (const [position, ofCheckpoint] of symbols.entries()) {
    const shift = symbolBits * position;
    for (let i = 0; i < packed.length; i++) packed[i]! |= ofCheckpoint[i]! << shift;
  }
  return packed;
}

/** How often every combination of `width` symbols occurs. */
export class JointSymbolCounts {
  readonly width: number;
  readonly #counts: Float64Array;

  constructor(width: number) {
    this.width = width;
    this.#counts = new Float64Array(2 ** (symbolBits * width));
  }

  add(block: PackedJointSymbols): void {
    for (const packed of block) this.#counts[packed]!++;
  }

  /** The joint symbols that are worth listing, most frequent first. */
  list(): JointSymbolList {
    const found: number[] = [];
    this.#counts.forEach((count, packed) => {
      if (count > 0) found.push(packed);
    });
    found.sort((a, b) => this.#counts[b]! - this.#counts[a]! || a - b);
    const listed = found.filter(
      (packed, rank) =>
        rank < latticeEscape || (rank < mergedJointSymbolsMax && this.#counts[packed]! >= listedOccurrencesMin),
    );
    return new JointSymbolList(listed, this.width);
  }
}

/** Numbers the joint symbols of a merged package (docs/format-blocks.md, section 15). */
export class JointSymbolList {
  readonly jointSymbols: JointSymbols;
  readonly #ranks: Uint16Array;
  /** Escape symbols from this one on are followed by a packed joint symbol. */
  readonly #listedEscapes: number;

  constructor(listed: readonly number[], width: number) {
    const symbols = new Uint8Array(listed.length * width);
    this.#ranks = new Uint16Array(2 ** (symbolBits * width)).fill(unlisted);
    for (const [rank, packed] of listed.entries()) {
      this.#ranks[packed] = rank;
      for (let position = 0; position < width; position++)
        symbols[position * listed.length + rank] = (packed >> (symbolBits * position)) % latticeSymbols;
    }
    this.jointSymbols = { symbols, width };
    this.#listedEscapes = Math.max(0, listed.length - latticeEscape);
  }

  /** The number of each joint symbol, and the escapes of those that have no number of their own. */
  code(block: PackedJointSymbols): { readonly symbols: Uint8Array; readonly escapes: Uint32Array } {
    const symbols = new Uint8Array(block.length);
    const escapes: number[] = [];
    for (let i = 0; i < block.length; i++) {
      const rank = this.#ranks[block[i]!]!;
      symbols[i] = Math.min(rank, latticeEscape);
      if (rank >= latticeEscape)
        escapes.push(rank === unlisted ? this.#listedEscapes + block[i]! : rank - latticeEscape);
    }
    return { symbols, escapes: Uint32Array.from(escapes) };
  }
}
