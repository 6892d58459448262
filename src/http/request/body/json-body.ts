import type { MiddlewareHandler } from 'hono';
import { anonymous } from '../../../access/principal.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { AppEnv } from '../../app-env.ts';
import { gatherBody, type BodyLimits } from './gather-body.ts';
import { isByteStream } from './incoming-body.ts';

/** Largest JSON body, in bytes: enough for about ten thousand announced files or mapped tensors. */
export const jsonBytesMax = 4 * 1024 * 1024;
/** The limit without a token: operations with longer bodies need one. */
const anonymousJsonBytesMax = 64 * 1024;

/**
 * Reads the body of a request with one of these methods once, unless it is bytes of an upload, for the validators and
 * the idempotency fingerprint that follow. Size and silence are limited. `payload-too-large`, `unsupported-media-type`
 * for a body without a type, `upload-aborted`, `body-too-slow`, `overloaded`.
 */
export function jsonBody(methods: readonly string[], limits: BodyLimits): MiddlewareHandler<AppEnv> {
  return async function readJsonBody(c, next) {
    const { method } = c.req;
    if (!methods.includes(method) || isByteStream(c)) return next();
    const bytesMax = c.var.principal.id === anonymous.id ? anonymousJsonBytesMax : jsonBytesMax;
    const tooLarge = `A JSON body may have at most ${bytesMax} bytes.`;
    const { bytes, release } = await gatherBody(c, limits, { bytesMax, tooLarge });
    try {
      if (bytes.length > 0 && c.req.header('content-type') === undefined) {
        throw new FirnError('unsupported-media-type', 'The body must be application/json and say so in Content-Type.');
      }
      c.req.raw = new Request(c.req.url, { method, headers: c.req.raw.headers, body: bytes });
      return await next();
    } finally {
      release();
    }
  };
}
