import type { BlockPart } from '../../package/blocks/plan-file.ts';

/** Who decodes blocks. */
export interface ElementReader {
  /** What tells a block from those of all files of all packages. */
  keyOf(block: number): string;
  /**
   * The key of the block that holds what a block is decoded from: of a copy that of its original, of a kept tensor or a
   * widened copy that of the one it names.
   */
  storedIn(block: number): string;
  elementCount(block: number): number;
  /** A block's elements in the file's own dtype, little-endian. */
  elements(block: number, signal?: AbortSignal): Promise<Uint8Array>;
}

/** A part of a block, and who decodes it. */
export interface LocatedPart extends BlockPart {
  readonly reader: ElementReader;
}

/** How many blocks of packages parts lie in. */
export function countBlocks(parts: readonly LocatedPart[]): number {
  return new Set(parts.map(({ reader, block }) => reader.storedIn(block))).size;
}

/**
 * The elements of parts one after another, in their own dtypes. A block that several parts lie in is decoded once,
 * however they take turns, and only one is held beside what is asked for. Rejects as `elements` does.
 */
export async function readParts(parts: readonly LocatedPart[], signal: AbortSignal | undefined): Promise<Uint8Array> {
  const byBlock = new Map<string, number[]>();
  for (const [i, { reader, block }] of parts.entries()) {
    const key = reader.keyOf(block);
    const places = byBlock.get(key);
    if (places === undefined) byBlock.set(key, [i]);
    else places.push(i);
  }
  const pieces: Uint8Array[] = [];
  for (const places of byBlock.values()) {
    const { reader, block } = parts[places[0]!]!;
    const bytes = await reader.elements(block, signal);
    const width = bytes.length / reader.elementCount(block);
    for (const i of places) {
      const { firstElement, elementCount } = parts[i]!;
      const piece = bytes.subarray(width * firstElement, width * (firstElement + elementCount));
      // A copy, where the block would live as long as the piece.
      pieces[i] = parts.length === 1 ? piece : piece.slice();
    }
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
