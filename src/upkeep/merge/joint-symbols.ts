import { latticeEscape, latticeSymbols, type JointSymbols } from '../../native/core.ts';
import { mergedJointSymbolsMax } from '../../package/format-limits.ts';

/** Of a symbol in a packed tuple. */
const symbolBits = 5;
/** A tuple that occurs once is told in full: its place in the list would take as much. */
const listedOccurrencesMin = 2;
/** Of a packed tuple that is not listed. */
const unlisted = 0xffff;

/**
 * The symbols of one block in all checkpoints of a merged package, `symbolBits` each, the first checkpoint's lowest.
 */
export type PackedJointSymbols = Uint32Array;

/** Packs the symbols of one block, one array a checkpoint. */
export function packJointSymbols(symbols: readonly Uint8Array[]): PackedJointSymbols {
  const packed = new Uint32Array(symbols[0]!.length);
  for (const [position, ofCheckpoint] of symbols.entries()) {
    const shift = symbolBits * position;
    for (let i = 0; i < packed.length; i++) packed[i]! |= ofCheckpoint[i]! << shift;
  }
  return packed;
}

/** How often every tuple of `width` symbols occurs. */
export class JointSymbolCounts {
  readonly width: number;
  readonly #counts: Float64Array;

  constructor(width: number) {
    this.width = width;
    this.#counts = new Float64Array(2 ** (symbolBits * width));
  }

  add(tuples: PackedJointSymbols): void {
    for (const tuple of tuples) this.#counts[tuple]!++;
  }

  /** The tuples worth listing, the most frequent first. */
  list(): JointSymbolList {
    const found: number[] = [];
    this.#counts.forEach((count, tuple) => {
      if (count > 0) found.push(tuple);
    });
    found.sort((a, b) => this.#counts[b]! - this.#counts[a]! || a - b);
    const listed = found.filter(
      (tuple, rank) =>
        rank < latticeEscape || (rank < mergedJointSymbolsMax && this.#counts[tuple]! >= listedOccurrencesMin),
    );
    return new JointSymbolList(listed, this.width);
  }
}

/** Which symbol stands for which tuple in a merged package (docs/format-blocks.md, section 15). */
export class JointSymbolList {
  readonly jointSymbols: JointSymbols;
  readonly #ranks: Uint16Array;
  /** Escapes from here on are packed tuples. */
  readonly #listedEscapes: number;

  constructor(listed: readonly number[], width: number) {
    const symbols = new Uint8Array(listed.length * width);
    this.#ranks = new Uint16Array(2 ** (symbolBits * width)).fill(unlisted);
    for (const [rank, tuple] of listed.entries()) {
      this.#ranks[tuple] = rank;
      for (let position = 0; position < width; position++)
        symbols[position * listed.length + rank] = (tuple >> (symbolBits * position)) % latticeSymbols;
    }
    this.jointSymbols = { symbols, width };
    this.#listedEscapes = Math.max(0, listed.length - latticeEscape);
  }

  /** One symbol a tuple, and the escapes of those that have none of their own. */
  code(tuples: PackedJointSymbols): { readonly symbols: Uint8Array; readonly escapes: Uint32Array } {
    const symbols = new Uint8Array(tuples.length);
    const escapes: number[] = [];
    for (let i = 0; i < tuples.length; i++) {
      const rank = this.#ranks[tuples[i]!]!;
      symbols[i] = Math.min(rank, latticeEscape);
      if (rank >= latticeEscape)
        escapes.push(rank === unlisted ? this.#listedEscapes + tuples[i]! : rank - latticeEscape);
    }
    return { symbols, escapes: Uint32Array.from(escapes) };
  }
}
