import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { AppEnv } from '../app-env.ts';

/** What a caller may send as X-Request-Id: it ends up in log lines and headers. */
const acceptable = /^[A-Za-z0-9._:-]{1,128}$/;

/** Names every request: by the caller's X-Request-Id when it is harmless, else by a new UUID. Echoed in the answer. */
export function requestId(): MiddlewareHandler<AppEnv> {
  return async function nameRequest(c, next) {
    const given = c.req.header('x-request-id');
    c.set('requestId', given !== undefined && acceptable.test(given) ? given : randomUUID());
    c.header('X-Request-Id', c.var.requestId);
    await next();
  };
}
