import type { MiddlewareHandler } from 'hono';
import type { AppEnv, HttpLog } from '../app-env.ts';

const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Logs every request that may have changed something, refused ones too: principal, operation, outcome and request id.
 */
export function writeLog(log: HttpLog): MiddlewareHandler<AppEnv> {
  return async function logWrite(c, next) {
    if (readMethods.has(c.req.method)) return next();
    const startedMs = performance.now();
    await next();
    const { requestId, traceId, principal, written } = c.var;
    const who = { tokenId: principal?.id, tokenName: principal?.name };
    log.info(
      {
        requestId,
        ...(traceId !== undefined && { traceId }),
        ...who,
        method: c.req.method,
        path: c.req.path,
        status: c.res.status,
        ...(written !== undefined && { written }),
        ms: Math.round(performance.now() - startedMs),
      },
      'write',
    );
  };
}
