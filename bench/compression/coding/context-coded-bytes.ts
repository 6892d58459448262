import {
  blockElementsMax,
  contextEscape,
  contextsMax,
  type ContextBlock,
  type NativeCore,
} from '../../../src/native/core.ts';
import type { BinHistory } from './bin-entropy.ts';

/**
 * Bytes of a checkpoint's bins in Firn's context coder, actually encoded, tables included. The context of a bin is its
 * tensor, the previous bin, and the one before that if it pays. The decoder knows all of them, and elements are only
 * reordered.
 */
export async function contextCodedBytes(core: NativeCore, tensors: readonly BinHistory[]): Promise<number> {
  const shallow = await encodedBytes(core, tensors, false);
  return tensors.some(({ beforePrevious }) => beforePrevious !== undefined)
    ? Math.min(shallow, await encodedBytes(core, tensors, true))
    : shallow;
}

/** Elements of one slot of the tables. */
interface SlotPart {
  readonly slot: number;
  readonly symbols: number[];
  readonly contexts: number[];
}

async function encodedBytes(core: NativeCore, tensors: readonly BinHistory[], deep: boolean): Promise<number> {
  const parts = tensors.flatMap((tensor) => slotParts(tensor, deep)).map((part, slot) => ({ ...part, slot }));
  const blocks = blocksOf(parts);
  const counts = core.createContextCounts();
  for (const block of blocks) await counts.add(block);
  const tables = await counts.build({ slots: Math.max(1, parts.length) });
  let bytes = tables.serialize().length;
  for (const block of blocks) bytes += (await tables.encode(block)).length;
  return bytes;
}

/** A tensor's elements in one part, or in a part for each bin of two checkpoints ago. */
function slotParts({ current, previous, beforePrevious }: BinHistory, deep: boolean): Omit<SlotPart, 'slot'>[] {
  const parts = new Map<number, Omit<SlotPart, 'slot'>>();
  for (let i = 0; i < current.length; i += 1) {
    const key = deep ? (beforePrevious?.[i] ?? 0) : 0;
    let part = parts.get(key);
    if (part === undefined) parts.set(key, (part = { symbols: [], contexts: [] }));
    part.symbols.push(symbolOf(current[i]!, previous?.[i]));
    part.contexts.push(Math.min(contextsMax - 1, previous?.[i] ?? 0));
  }
  return [...parts].sort(([a], [b]) => a - b).map(([, part]) => part);
}

/**
 * 0 for the previous bin, then its neighbours by distance, because near ones are likelier than those that need an
 * escape.
 */
function symbolOf(bin: number, previous: number | undefined): number {
  if (previous === undefined) return bin;
  return bin < previous ? 2 * (previous - bin) - 1 : 2 * (bin - previous);
}

/** Parts cut into blocks for the coder. */
function blocksOf(parts: readonly SlotPart[]): ContextBlock[] {
  const pieces = parts.flatMap(({ slot, symbols, contexts }) =>
    Array.from({ length: Math.ceil(symbols.length / blockElementsMax) }, (_, i) => {
      const [from, to] = [i * blockElementsMax, (i + 1) * blockElementsMax];
      return { slot, symbols: symbols.slice(from, to), contexts: contexts.slice(from, to) };
    }),
  );
  const groups: (typeof pieces)[] = [];
  let filled = Infinity;
  for (const piece of pieces) {
    if (filled + piece.symbols.length > blockElementsMax) {
      groups.push([]);
      filled = 0;
    }
    groups.at(-1)!.push(piece);
    filled += piece.symbols.length;
  }
  return groups.map(blockOf);
}

function blockOf(pieces: readonly SlotPart[]): ContextBlock {
  const symbols = pieces.flatMap((piece) => piece.symbols);
  return {
    symbols: Uint8Array.from(symbols, (symbol) => Math.min(symbol, contextEscape)),
    escapes: Uint32Array.from(
      symbols.filter((symbol) => symbol >= contextEscape),
      (symbol) => symbol - contextEscape,
    ),
    contexts: Uint8Array.from(pieces.flatMap((piece) => piece.contexts)),
    segments: {
      counts: Uint32Array.from(pieces, (piece) => piece.symbols.length),
      slots: Uint32Array.from(pieces, (piece) => piece.slot),
    },
  };
}
