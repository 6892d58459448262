import type { Context } from 'hono';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { AppEnv } from '../../app-env.ts';
import { PaceCheck, type BodyPace } from './body-pace.ts';

/** Longest silence of a client inside a body, in ms. Whole uploads have no deadline: they may take hours. */
export const bodyIdleMs = 60_000;

/**
 * The request body as it arrives, with back-pressure; never buffered. A client that waits for `100 Continue` gets it
 * when the first chunk is asked for, so that whatever rejects before reading rejects before the body is sent. Leaving
 * the loop early keeps the connection usable for the answer. `upload-aborted` when the client goes away or falls silent
 * for `idleMs`; `body-too-slow` when it sends less than `pace` asks for; `length-mismatch` when bytes that are no
 * request are behind the announced end.
 */
export async function* incomingBody(
  c: Context<AppEnv>,
  pace: BodyPace,
  idleMs: number = bodyIdleMs,
): AsyncGenerator<Uint8Array> {
  const { incoming, outgoing } = c.env ?? {};
  if (incoming === undefined || outgoing === undefined) {
    if (c.req.raw.body !== null) yield* c.req.raw.body;
    return;
  }
  if (expectsContinue(incoming.headers.expect) && 'writeContinue' in outgoing) outgoing.writeContinue();
  const giveUp = (): void => void incoming.destroy(new Error(`No byte arrived for ${idleMs} ms.`));
  const reservation = new PaceCheck(pace);
  let askedAt = performance.now();
  let silence = setTimeout(giveUp, idleMs);
  try {
    // The web stream of the framework is left alone: reading the socket's own stream is 10 to 25 % faster.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      // The time that whoever reads takes is not the client's.
      clearTimeout(silence);
      const waitedMs = performance.now() - askedAt;
      yield chunk as Uint8Array;
      reservation.add((chunk as Uint8Array).length, waitedMs);
      askedAt = performance.now();
      silence = setTimeout(giveUp, idleMs);
    }
  } catch (cause) {
    if (cause instanceof FirnError) throw cause;
    throw new FirnError('upload-aborted', 'The connection ended before the whole body had arrived.', { cause });
  } finally {
    clearTimeout(silence);
  }
  if (c.env?.hasSurplus?.() === true)
    throw new FirnError('length-mismatch', 'The connection carries more bytes than were announced.');
}

export function expectsContinue(expect: string | undefined): boolean {
  return expect?.toLowerCase() === '100-continue';
}

/** Media type of the bytes of a resumable upload. */
export const byteStreamType = 'application/offset+octet-stream';

/** Whether the body of a POST or PATCH is bytes of an upload, which nobody gathers. */
export function isByteStream(c: Context<AppEnv>): boolean {
  return c.req.header('content-type')?.toLowerCase() === byteStreamType;
}
