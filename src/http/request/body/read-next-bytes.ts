import type { Context } from 'hono';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { NextBytes } from '../../../ingest/resumable/receive-bytes.ts';
import type { AppEnv } from '../../app-env.ts';
import type { BodyPace } from './body-pace.ts';
import { incomingBody } from './incoming-body.ts';
import { parseChecksum } from '../tus-headers.ts';

/**
 * The bytes of an upload that a request carries; nothing is read yet. `unsupported-media-type` for encoded ones,
 * `invalid-request` for a checksum that is none.
 */
export function readNextBytes(c: Context<AppEnv>, offsetBytes: number, pace: BodyPace): NextBytes {
  if ((c.req.header('content-encoding') ?? 'identity') !== 'identity')
    throw new FirnError('unsupported-media-type', 'Send the bytes of the upload themselves: no Content-Encoding.');
  const length = c.req.header('content-length');
  const checksum = parseChecksum(c.req.header('upload-checksum'));
  return {
    offsetBytes,
    body: incomingBody(c, pace),
    ...(length !== undefined && { lengthBytes: Number(length) }),
    ...(checksum !== undefined && { checksum }),
  };
}
