import type { Context } from 'hono';
import type { AppEnv } from '../app-env.ts';

/**
 * The address of the client: the connection's remote address or, behind a trusted proxy, the last address in
 * X-Forwarded-For. Earlier addresses in that field come from the client and are not trusted.
 */
export function clientAddress(c: Context<AppEnv>, trustProxy: boolean): string {
  const forwarded = trustProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined;
  return withoutPort(forwarded) || (c.env?.incoming?.socket.remoteAddress ?? 'unknown');
}

/** Strips the port that some proxies add: `1.2.3.4:5678`, `[2001:db8::1]:5678`. */
function withoutPort(address: string | undefined): string | undefined {
  const [, v4, v6] = /^(?:(\d+\.\d+\.\d+\.\d+)(?::\d+)?|\[([^\]]+)\](?::\d+)?)$/.exec(address ?? '') ?? [];
  return v4 ?? v6 ?? address;
}
