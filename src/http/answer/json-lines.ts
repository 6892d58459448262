import type { MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { AppEnv } from '../app-env.ts';

/** A JSON document as it goes out: one line, so that what a shell prints after it begins on the next. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** Ends every answer of `c.json` with a newline. Bytes of stored files, JSON or not, do not pass here. */
export function jsonLines(): MiddlewareHandler<AppEnv> {
  return async function endLines(c, next) {
    const answer = (value: unknown, status?: ContentfulStatusCode, headers: Record<string, string> = {}): Response =>
      c.body(jsonLine(value), status, { 'Content-Type': 'application/json', ...headers });
    c.json = answer as typeof c.json;
    await next();
  };
}
