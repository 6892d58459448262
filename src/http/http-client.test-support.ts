import type { OpenAPIHono } from '@hono/zod-openapi';
import type { AppEnv } from './app-env.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  // Tests read JSON of every shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
}

export type Call = (
  method: string,
  path: string,
  body?: object | Buffer,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Calls an app without a server: objects are sent as JSON, buffers unchanged. */
export function caller(app: OpenAPIHono<AppEnv>): Call {
  return async (method, path, body, headers = {}) => {
    const raw = Buffer.isBuffer(body);
    const typed =
      body === undefined
        ? {}
        : raw
          ? { 'content-length': String(body.length) }
          : { 'content-type': 'application/json' };
    const payload = body === undefined ? {} : { body: raw ? new Uint8Array(body) : JSON.stringify(body) };
    const response = await app.request(path, { method, headers: { ...typed, ...headers }, ...payload });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      json: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
    };
  };
}
