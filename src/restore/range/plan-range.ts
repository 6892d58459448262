import { dtypeBytes } from '../../checkpoint/dtype.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { SafetensorsLayout, TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { blockElementsMax } from '../../native/core.ts';
import type { FilePlan } from '../../package/blocks/plan-file.ts';

/** A contiguous range of the file's bytes, all from one decoded block. */
export interface RangePiece {
  readonly block: number;
  /** Range inside the block's elements, as bytes of the file's dtype; end exclusive. */
  readonly startBytes: number;
  readonly endBytes: number;
  /** No later piece of the range needs the block. */
  readonly last: boolean;
}

/** The header bytes and blocks that make up a byte range of a file. */
export interface RangePlan {
  readonly header: { readonly startBytes: number; readonly endBytes: number };
  /**
   * In output order. Between a block's first and last use lie only shared blocks of other codings and blocks of one
   * tensor, so at most one block per coding is open at a time.
   */
  readonly pieces: readonly RangePiece[];
  /** The blocks of `pieces` in the order of their first use. */
  readonly blocks: readonly number[];
}

/**
 * Maps file bytes `startBytes`..`endBytes` (exclusive) to header bytes and blocks. `layout` is the file's own, or a
 * dtype view's with the same tensors in the same order. Pure; cost grows with the range, plus a binary search. Throws
 * `range-not-satisfiable` outside the file.
 */
export function planRange(layout: SafetensorsLayout, plan: FilePlan, startBytes: number, endBytes: number): RangePlan {
  if (!(startBytes >= 0 && startBytes <= endBytes && endBytes <= layout.sizeBytes)) {
    throw new FirnError('range-not-satisfiable', 'The byte range lies outside the file.', {
      detail: `${startBytes}-${endBytes} of ${layout.sizeBytes}`,
    });
  }
  const headerBytes = layout.headerBytes.length;
  const pieces: Omit<RangePiece, 'last'>[] = [];
  for (let tensor = firstTensorEndingAfter(layout.tensors, startBytes); tensor < layout.tensors.length; tensor++) {
    const entry = layout.tensors[tensor]!;
    if (entry.startBytes >= endBytes) break;
    if (entry.elementCount > 0) pieces.push(...tensorPieces(entry, plan, tensor, startBytes, endBytes));
  }
  return {
    header: { startBytes: Math.min(startBytes, headerBytes), endBytes: Math.min(endBytes, headerBytes) },
    pieces: markLast(pieces),
    blocks: [...new Set(pieces.map((piece) => piece.block))],
  };
}

/** Position of the first tensor with bytes after `offsetBytes`. */
function firstTensorEndingAfter(tensors: readonly TensorEntry[], offsetBytes: number): number {
  let low = 0;
  let high = tensors.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (tensors[middle]!.endBytes > offsetBytes) high = middle;
    else low = middle + 1;
  }
  return low;
}

function* tensorPieces(
  entry: TensorEntry,
  plan: FilePlan,
  tensor: number,
  startBytes: number,
  endBytes: number,
): Generator<Omit<RangePiece, 'last'>> {
  const elementBytes = dtypeBytes[entry.dtype];
  const blockBytes = blockElementsMax * elementBytes;
  // Offset from the start of the tensor's first block: a small tensor may begin inside it, a larger one fills whole
  // blocks.
  const inBlock = plan.firstElement[tensor]! * elementBytes;
  const end = inBlock + Math.min(endBytes, entry.endBytes) - entry.startBytes;
  let at = inBlock + Math.max(startBytes, entry.startBytes) - entry.startBytes;
  while (at < end) {
    const step = Math.floor(at / blockBytes);
    const stop = Math.min(end, (step + 1) * blockBytes);
    yield {
      block: plan.firstBlock[tensor]! + step,
      startBytes: at - step * blockBytes,
      endBytes: stop - step * blockBytes,
    };
    at = stop;
  }
}

function markLast(pieces: readonly Omit<RangePiece, 'last'>[]): RangePiece[] {
  const seen = new Set<number>();
  const marked: RangePiece[] = [];
  for (let i = pieces.length - 1; i >= 0; i--) {
    marked.push({ ...pieces[i]!, last: !seen.has(pieces[i]!.block) });
    seen.add(pieces[i]!.block);
  }
  return marked.reverse();
}
