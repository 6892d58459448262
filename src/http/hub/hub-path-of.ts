import type { Context } from 'hono';
import type { AppEnv } from '../app-env.ts';
import { parseHubPath, type HubPath } from './parse-hub-path.ts';

/** What a hub client asks for; undefined for any other request. */
export function hubPathOf(c: Context<AppEnv>): HubPath | undefined {
  return parseHubPath(rawPathOf(c));
}

/** Whether a request comes from a hub client, whose errors have a form of their own. */
export function isHubRequest(c: Context<AppEnv>): boolean {
  return hubPathOf(c) !== undefined;
}

/** The path as the client sent it: the framework decodes some escapes. */
function rawPathOf(c: Context<AppEnv>): string {
  const sent = c.env?.incoming?.url ?? new URL(c.req.url).pathname;
  const path = sent.split(/[?#]/, 1)[0]!;
  // RFC 9112 section 3.2.2: a request to a proxy names the whole address.
  return path.startsWith('/') ? path : new URL(path).pathname;
}
