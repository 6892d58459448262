import type { MiddlewareHandler } from 'hono';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { AppEnv } from '../app-env.ts';

/**
 * Refuses a path whose percent escapes are not UTF-8 with `invalid-request`. The router would take such an escape
 * literally, so that `%ff` and `%25ff` would be one file.
 */
export function readablePath(): MiddlewareHandler<AppEnv> {
  return async function checkEscapes(c, next) {
    try {
      decodeURIComponent(new URL(c.req.url).pathname);
    } catch (cause) {
      throw new FirnError('invalid-request', 'The percent escapes of the path are not UTF-8.', { cause });
    }
    return next();
  };
}
