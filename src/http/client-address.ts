import type { Context } from 'hono';
import type { AppEnv } from './app-env.ts';

/** Where a request came from: the connection's other end, or behind a proxy that is trusted the last address that it was given (X-Forwarded-For; what stands before is the client's word). */
export function clientAddress(c: Context<AppEnv>, trustProxy: boolean): string {
  const forwarded = trustProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined;
  return forwarded || (c.env?.incoming?.socket.remoteAddress ?? 'unknown');
}
