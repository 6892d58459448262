import type { MiddlewareHandler } from 'hono';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { AppEnv } from '../app-env.ts';

/** Supported version of the protocol of resumable uploads, https://tus.io/protocols/resumable-upload */
export const tusVersionSpoken = '1.0.0';

/**
 * Adds the tus header to the answers of tus requests. `precondition-failed`, with the supported version, for another
 * version.
 */
export function tusVersion(): MiddlewareHandler<AppEnv> {
  return async function speakTus(c, next) {
    const asked = c.req.header('tus-resumable');
    if (asked === undefined || c.req.method === 'OPTIONS') return next();
    c.header('Tus-Resumable', tusVersionSpoken);
    if (asked === tusVersionSpoken) return next();
    c.header('Tus-Version', tusVersionSpoken);
    throw new FirnError('precondition-failed', `This server speaks tus ${tusVersionSpoken}.`);
  };
}
