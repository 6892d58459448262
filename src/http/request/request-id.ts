import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { AppEnv } from '../app-env.ts';

/** Allowed values of X-Request-Id: they end up in log lines and headers. */
const acceptable = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Sets the id of every request: the caller's X-Request-Id if it is allowed, else a new UUID. Returned in the answer.
 */
export function requestId(): MiddlewareHandler<AppEnv> {
  return async function nameRequest(c, next) {
    const given = c.req.header('x-request-id');
    c.set('requestId', given !== undefined && acceptable.test(given) ? given : randomUUID());
    c.header('X-Request-Id', c.var.requestId);
    await next();
  };
}
