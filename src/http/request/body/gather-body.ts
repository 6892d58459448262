import type { Context } from 'hono';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { AppEnv } from '../../app-env.ts';
import type { BodyPace } from './body-pace.ts';
import type { GatheredBytes } from './gathered-bytes.ts';
import { incomingBody } from './incoming-body.ts';

export interface BodyLimits {
  readonly pace: BodyPace;
  /** Shared by everything that gathers bodies for one app. */
  readonly gathered: GatheredBytes;
}

/**
 * A body of at most `bytesMax` bytes, whole. Its bytes count in `gathered` until `release` is called; a refused body
 * counts no longer. `payload-too-large` with the given sentence, `overloaded`, and the errors of `incomingBody`.
 */
export async function gatherBody(
  c: Context<AppEnv>,
  { pace, gathered }: BodyLimits,
  { bytesMax, tooLarge }: { readonly bytesMax: number; readonly tooLarge: string },
): Promise<{ readonly bytes: Buffer; readonly release: () => void }> {
  const refused = (): FirnError => new FirnError('payload-too-large', tooLarge);
  if (Number(c.req.header('content-length') ?? 0) > bytesMax) throw refused();
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of incomingBody(c, pace)) {
      sizeBytes += chunk.length;
      gathered.take(chunk.length);
      if (sizeBytes > bytesMax) throw refused();
      chunks.push(chunk);
    }
  } catch (error) {
    gathered.giveBack(sizeBytes);
    throw error;
  }
  return { bytes: Buffer.concat(chunks), release: () => gathered.giveBack(sizeBytes) };
}
