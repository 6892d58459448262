import type { MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { AppEnv } from '../app-env.ts';

/** A JSON document as one line with a newline, so that a shell's next output begins on a new line. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** Ends every answer of `c.json` with a newline. Stored files, JSON or not, are not changed. */
export function jsonLines(): MiddlewareHandler<AppEnv> {
  return async function endLines(c, next) {
    const answer = (value: unknown, status?: ContentfulStatusCode, headers: Record<string, string> = {}): Response =>
      c.body(jsonLine(value), status, { 'Content-Type': 'application/json', ...headers });
    c.json = answer as typeof c.json;
    await next();
  };
}
