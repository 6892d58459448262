import fc from 'fast-check';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { AppEnv } from '../app-env.ts';
import { knownQuery } from './known-query.ts';

const app = new OpenAPIHono<AppEnv>();
app.use('/v1/*', knownQuery(app.openAPIRegistry));
const responses = { 200: { description: 'Done.' } };
const query = z.object({ limit: z.string().optional(), order: z.string().optional() });
app.openapi(createRoute({ method: 'get', path: '/v1/a/{id}', request: { query }, responses }), (c) => c.body(null));
app.openapi(createRoute({ method: 'post', path: '/v1/a/{id}', responses }), (c) => c.body(null));
app.openapi(createRoute({ method: 'get', path: '/v1/f/{path{.+}}', request: { query }, responses }), (c) =>
  c.body(null),
);
app.openapi(createRoute({ method: 'get', path: '/other', responses }), (c) => c.body(null));
app.onError((error, c) => c.text(error instanceof FirnError ? `${error.code}: ${error.message}` : 'unknown', 400));

async function answer(method: string, path: string): Promise<string | number> {
  const response = await app.request(path, { method });
  return response.status === 400 ? response.text() : response.status;
}

describe('knownQuery', () => {
  it.each([
    ['GET', '/v1/a/1'],
    ['GET', '/v1/a/1?limit=1&order=x'],
    ['HEAD', '/v1/a/1?limit=1'],
    ['GET', '/v1/f/x/y?order=x'],
    ['GET', '/other?whatever=1'],
  ])('lets %s %s through', async (method, path) => {
    expect(await answer(method, path)).toBe(200);
  });

  it.each([
    ['GET', '/v1/a/1?limt=1', '"limt". limit is one.'],
    ['GET', '/v1/a/1?limit=1&Order=x', '"Order". order is one.'],
    ['GET', '/v1/f/x/y?page=2', '"page". It has limit, order.'],
    ['POST', '/v1/a/1?limit=1', '"limit". It has none: leave it out.'],
    ['GET', '/v1/a/1?__proto__=1', '"__proto__". It has limit, order.'],
  ])('refuses %s %s', async (method, path, sentence) => {
    expect(await answer(method, path)).toBe(`invalid-request: This operation has no query parameter ${sentence}`);
  });

  it.each(['/v1/a/1?limit=1&limit=2', '/v1/a/1?limit=1&order=x&limit=1'])(
    'refuses a parameter twice: %s',
    async (path) => {
      expect(await answer('GET', path)).toBe('invalid-request: The query parameter "limit" may be given only once.');
    },
  );

  it('leaves a path without an operation to the answer 404', async () => {
    expect(await answer('GET', '/v1/none?x=1')).toBe(404);
  });

  it('refuses every other name, in a sentence that stays short', async () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 500 }).filter((each) => each !== 'limit' && each !== 'order');
    await fc.assert(
      fc.asyncProperty(name, async (each) => {
        const text = await answer('GET', `/v1/a/1?${new URLSearchParams({ [each]: '' }).toString()}`);
        expect(text).toMatch(/^invalid-request: This operation has no query parameter /);
        expect(String(text).length).toBeLessThan(1000);
      }),
      { numRuns: 200 },
    );
  });
});
