import type { MiddlewareHandler } from 'hono';
import { anonymous } from '../../../access/principal.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { AppEnv } from '../../app-env.ts';
import type { BodyPace } from './body-pace.ts';
import type { GatheredBytes } from './gathered-bytes.ts';
import { incomingBody, isByteStream } from './incoming-body.ts';

/** Largest JSON body, in bytes: room for some ten thousand announced files or mapped tensors. */
export const jsonBytesMax = 4 * 1024 * 1024;
/** The same without a token, which lets nobody do what takes a long one. */
const anonymousJsonBytesMax = 64 * 1024;

export interface JsonBodyLimits {
  readonly pace: BodyPace;
  /** Shared by all that reads bodies for one app. */
  readonly gathered: GatheredBytes;
}

/**
 * Reads the body of a request that has one of these methods once, unless it is bytes of an upload, bounded in size and
 * in silence, for the validators and the idempotency fingerprint that follow. `payload-too-large`,
 * `unsupported-media-type` for a body without a type, `upload-aborted`, `body-too-slow`, `overloaded`.
 */
export function jsonBody(methods: readonly string[], { pace, gathered }: JsonBodyLimits): MiddlewareHandler<AppEnv> {
  return async function readJsonBody(c, next) {
    const { method } = c.req;
    if (!methods.includes(method) || isByteStream(c)) return next();
    const bytesMax = c.var.principal.id === anonymous.id ? anonymousJsonBytesMax : jsonBytesMax;
    if (Number(c.req.header('content-length') ?? 0) > bytesMax) throw tooLarge(bytesMax);
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    try {
      for await (const chunk of incomingBody(c, pace)) {
        sizeBytes += chunk.length;
        gathered.take(chunk.length);
        if (sizeBytes > bytesMax) throw tooLarge(bytesMax);
        chunks.push(chunk);
      }
      if (sizeBytes > 0 && c.req.header('content-type') === undefined) {
        throw new FirnError('unsupported-media-type', 'The body must be application/json and say so in Content-Type.');
      }
      c.req.raw = new Request(c.req.url, { method, headers: c.req.raw.headers, body: Buffer.concat(chunks) });
      return await next();
    } finally {
      gathered.giveBack(sizeBytes);
    }
  };
}

function tooLarge(bytesMax: number): FirnError {
  return new FirnError('payload-too-large', `A JSON body may have at most ${bytesMax} bytes.`);
}
