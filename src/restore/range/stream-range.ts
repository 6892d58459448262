import { FirnError } from '../../checkpoint/firn-error.ts';
import type { BlockMemory } from '../block-memory.ts';
import { DecodeAhead } from '../decode-ahead.ts';
import type { RangePlan } from './plan-range.ts';

/**
 * Blocks of one stream that are decoded ahead. With blocks of at most 1 MiB and one open block per coding, a stream
 * holds at most 25 MiB.
 */
export const decodeAheadMax = 8;
/** Pieces below this size, in bytes, are joined: otherwise each norm or bias would be a network write of its own. */
const pieceBytesMin = 64 * 1024;
/** Longest piece, in bytes: a block of the widest elements. */
const pieceBytesMax = 1024 * 1024;

/** Provides the blocks and the header of a stream. */
export interface RangeSource {
  readonly headerBytes: Uint8Array;
  /** A block's elements as bytes of the file's dtype; may lie in memory taken from `memory`. */
  elements(block: number, signal: AbortSignal, memory?: BlockMemory): Promise<Uint8Array>;
}

export interface StreamOptions {
  readonly signal?: AbortSignal | undefined;
  /** If given, blocks may lie in this memory; a piece is then valid only until the next one is requested. */
  readonly memory?: BlockMemory | undefined;
  /** Shared by the streams of a process; without it only `decodeAheadMax` bounds a stream. */
  readonly ahead?: DecodeAhead | undefined;
}

/**
 * The bytes of a planned range in order. Decodes a few blocks ahead, in parallel, and holds a decoded block until its
 * last piece is out. Pieces are read only. Ending the iteration early, or `signal`, cancels pending work. Rejects with
 * `cancelled` and with the source's errors.
 */
export async function* streamRange(
  source: RangeSource,
  plan: RangePlan,
  options: StreamOptions = {},
): AsyncGenerator<Uint8Array> {
  yield* gather(pieces(source, plan, options));
}

async function* pieces(
  source: RangeSource,
  plan: RangePlan,
  { signal, memory, ahead = new DecodeAhead(decodeAheadMax) }: StreamOptions,
): AsyncGenerator<Uint8Array> {
  const stop = new AbortController();
  const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const open = new Map<number, Promise<Uint8Array>>();
  let started = 0;
  let used = 0;
  let held = 0;
  try {
    for (let at = plan.header.startBytes; at < plan.header.endBytes; at += pieceBytesMax) {
      yield source.headerBytes.subarray(at, Math.min(at + pieceBytesMax, plan.header.endBytes));
    }
    for (const piece of plan.pieces) {
      while (started < plan.blocks.length && started - used < decodeAheadMax && ahead.tryTake(started - used)) {
        held++;
        const elements = source.elements(plan.blocks[started]!, either, memory);
        // Awaited later or never: until then a failure must not count as unhandled.
        elements.catch(() => undefined);
        open.set(plan.blocks[started]!, elements);
        started++;
      }
      if (signal?.aborted === true) throw new FirnError('cancelled', 'The restore was cancelled.');
      if (plan.blocks[used] === piece.block) {
        used++;
        held--;
        ahead.give(1);
      }
      const elements = await open.get(piece.block)!;
      if (piece.last) open.delete(piece.block);
      yield elements.subarray(piece.startBytes, piece.endBytes);
      if (piece.last) memory?.give(elements);
    }
  } finally {
    stop.abort();
    ahead.give(held);
  }
}

/** Joins copies of small pieces and passes large ones on. Drops empty ones. */
async function* gather(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = new Uint8Array(0);
  let heldBytes = 0;
  for await (const part of parts) {
    if (heldBytes > 0 && heldBytes + part.length >= pieceBytesMin) {
      yield held.subarray(0, heldBytes);
      heldBytes = 0;
    }
    if (part.length >= pieceBytesMin) {
      yield part;
    } else if (part.length > 0) {
      if (heldBytes === 0) held = new Uint8Array(pieceBytesMin);
      held.set(part, heldBytes);
      heldBytes += part.length;
    }
  }
  if (heldBytes > 0) yield held.subarray(0, heldBytes);
}
