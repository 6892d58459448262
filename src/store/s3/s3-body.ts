import type { Readable } from 'node:stream';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { onAbort } from '../on-abort.ts';

export interface S3BodyOptions {
  readonly lengthBytes: number;
  /** Longest wait for the next bytes, in ms. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
}

/**
 * Passes on the body of an answer, with the offset of each piece; exactly `lengthBytes` bytes. Rejects with
 * `unavailable` and closes the connection if there are fewer or more bytes, or if none come for `idleMs`. Rejects also
 * with the failure of the connection.
 */
export async function readS3Body(
  body: unknown,
  { lengthBytes, idleMs, signal }: S3BodyOptions,
  take: (piece: Uint8Array, atBytes: number) => void,
): Promise<void> {
  const stream = body as Readable;
  const giveUp = (): void =>
    void stream.destroy(new FirnError('unavailable', 'The storage stopped in the middle of an answer.'));
  const unwatch = onAbort(signal, giveUp);
  let idle = setTimeout(giveUp, idleMs);
  let atBytes = 0;
  try {
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      clearTimeout(idle);
      if (atBytes + piece.length > lengthBytes) throw otherLength();
      take(piece, atBytes);
      atBytes += piece.length;
      idle = setTimeout(giveUp, idleMs);
    }
    if (atBytes !== lengthBytes) throw otherLength();
  } finally {
    clearTimeout(idle);
    unwatch();
  }
}

function otherLength(): FirnError {
  return new FirnError('unavailable', 'The storage answered with another number of bytes than asked for.');
}
