import type { Context } from 'hono';
import type { AppEnv } from '../app-env.ts';

/**
 * Where a request came from: the connection's other end, or behind a proxy that is trusted the last address that it was
 * given (X-Forwarded-For; what stands before is the client's word).
 */
export function clientAddress(c: Context<AppEnv>, trustProxy: boolean): string {
  const forwarded = trustProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined;
  return withoutPort(forwarded) || (c.env?.incoming?.socket.remoteAddress ?? 'unknown');
}

/** Some proxies name the client's port, too: `1.2.3.4:5678`, `[2001:db8::1]:5678`. */
function withoutPort(address: string | undefined): string | undefined {
  const [, v4, v6] = /^(?:(\d+\.\d+\.\d+\.\d+)(?::\d+)?|\[([^\]]+)\](?::\d+)?)$/.exec(address ?? '') ?? [];
  return v4 ?? v6 ?? address;
}
