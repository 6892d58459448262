import type { Context } from 'hono';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { Upload } from '../../../ingest/stage/upload.ts';
import type { AppEnv } from '../../app-env.ts';
import { parseDigest, type AnnouncedDigests } from '../../answer/digest-fields.ts';
import type { BodyPace } from './body-pace.ts';
import { incomingBody } from './incoming-body.ts';

/**
 * A raw body with what its header fields announce; nothing is read yet. `unsupported-media-type` for encoded or
 * multipart bodies, whose bytes are not the file's; `invalid-request` for a part of a file (Content-Range), and for
 * digests that are malformed or disagree.
 */
export function readUpload(c: Context<AppEnv>, pace: BodyPace): Upload {
  const encoding = c.req.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity' || c.req.header('content-type')?.startsWith('multipart/') === true) {
    throw new FirnError(
      'unsupported-media-type',
      'Send the bytes of the file themselves: no Content-Encoding, no multipart body.',
    );
  }
  // RFC 9110 section 14.5: a server that knows no partial PUT must not take a part for the whole.
  if (c.req.header('content-range') !== undefined)
    throw new FirnError('invalid-request', 'A file is uploaded whole: leave out Content-Range.');
  const [repr, content] = [parseDigest(c.req.header('repr-digest')), parseDigest(c.req.header('content-digest'))];
  const digests = { ...repr, ...content };
  if (Object.entries(repr).some(([algorithm, digest]) => digests[algorithm as keyof AnnouncedDigests] !== digest)) {
    throw new FirnError('invalid-request', 'Repr-Digest and Content-Digest must agree when no encoding is used.');
  }
  const length = c.req.header('content-length');
  return {
    body: incomingBody(c, pace),
    signal: c.req.raw.signal,
    ...(length !== undefined && { lengthBytes: Number(length) }),
    ...digests,
  };
}
