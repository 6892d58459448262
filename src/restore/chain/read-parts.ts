import type { BlockPart } from '../../package/blocks/plan-file.ts';

/** Decodes blocks of one file. */
export interface ElementReader {
  /** A key that is unique to a block of one file of one package. */
  keyOf(block: number): string;
  /**
   * The key of the block whose payload is decoded. For a copy it is the original's, for an inherited tensor or a
   * widened copy that of the tensor it refers to.
   */
  storedIn(block: number): string;
  elementCount(block: number): number;
  /** A block's elements in the file's own dtype, little-endian. */
  elements(block: number, signal?: AbortSignal): Promise<Uint8Array>;
}

/** A part of a block, the reader that decodes it, and zeros in place of what the block's tensor does not have. */
export interface LocatedPart extends BlockPart {
  readonly reader: ElementReader;
  /** Bytes of zeros that follow its elements. */
  readonly zeroBytes?: number | undefined;
}

/** Number of distinct stored blocks that hold `parts`. */
export function countBlocks(parts: readonly LocatedPart[]): number {
  return new Set(parts.map(({ reader, block }) => reader.storedIn(block))).size;
}

/**
 * The elements of `parts` one after another, each in its own dtype and followed by its zeros. A block with several
 * parts is decoded once, in whatever order the parts come. At most one decoded block is in memory beside the result.
 * Rejects as `elements` does.
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
      const { firstElement, elementCount, zeroBytes = 0 } = parts[i]!;
      const piece = bytes.subarray(width * firstElement, width * (firstElement + elementCount));
      // With several parts, copy each: a view would keep its whole block in memory.
      pieces[i] =
        zeroBytes > 0 ? Buffer.concat([piece, new Uint8Array(zeroBytes)]) : parts.length === 1 ? piece : piece.slice();
    }
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
