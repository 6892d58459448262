import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { createToken } from '../../access/create-token.ts';
import { formatGrant, parseGrant } from '../../checkpoint/grant.ts';
import type { AppEnv } from '../app-env.ts';
import type { Gateway } from '../gateway.ts';
import { tagged, unchanged } from '../answer/entity-tag.ts';
import { changeHeaders, entityTagHeader, notModified, preconditionOf, readHeaders } from '../request/preconditions.ts';
import { checkToken } from '../request/locate.ts';
import { listGrantable, revocable } from './grantable-tokens.ts';
import { nextOfPage, pageOf } from '../schemas/page.ts';
import { pageQuery } from '../schemas/parameters.ts';
import { problems } from '../schemas/problem.ts';
import { createdTokenSchema, renderToken, tokenInput, tokenList, tokenSchema, whoamiSchema } from '../schemas/token.ts';

const tags = ['Access'];
const collection = '/v1/tokens';

const createTokenRoute = createRoute({
  method: 'post',
  path: collection,
  operationId: 'createToken',
  summary: 'Make a token',
  tags,
  description:
    'Only who holds admin on all that it grants may make one. The answer is the only place that shows its text, ' +
    'so it is not kept for an Idempotency-Key either.',
  request: { body: { required: true, content: { 'application/json': { schema: tokenInput } } } },
  responses: {
    201: { description: 'Made.', content: { 'application/json': { schema: createdTokenSchema } } },
    ...problems(400, 401, 403, 408, 413, 415, 429),
  },
});
const listTokens = createRoute({
  method: 'get',
  path: collection,
  operationId: 'listTokens',
  summary: 'List the tokens that one could have made',
  tags,
  description:
    'Revoked and expired ones are among them. A page may have fewer entries than asked for and still not be the last.',
  request: { query: pageQuery },
  responses: {
    200: { description: 'One page.', content: { 'application/json': { schema: tokenList } } },
    ...problems(400, 401, 429),
  },
});
const tokenParams = z.object({
  tokenId: z
    .string()
    .regex(/^[A-Za-z0-9]{12}$/, 'must be 12 letters and digits')
    .openapi({ param: { name: 'tokenId', in: 'path', description: 'Id of the token.' }, example: 'a1B2c3D4e5F6' }),
});
const getToken = createRoute({
  method: 'get',
  path: `${collection}/{tokenId}`,
  operationId: 'getToken',
  summary: 'Describe a token that one could have made, or the one this is sent with',
  description: 'Its grants, and until when it holds. Its text was shown once, when it was made.',
  tags,
  request: { params: tokenParams, headers: readHeaders },
  responses: {
    200: {
      description: 'The token.',
      headers: entityTagHeader,
      content: { 'application/json': { schema: tokenSchema } },
    },
    304: notModified,
    ...problems(400, 401, 404, 412, 429),
  },
});
const revokeToken = createRoute({
  method: 'delete',
  path: `${collection}/{tokenId}`,
  operationId: 'revokeToken',
  summary: 'Revoke a token, or the one this is sent with',
  description: 'It is refused from now on, and stays in the list as revoked.',
  tags,
  request: {
    params: tokenParams,
    headers: changeHeaders,
  },
  responses: {
    200: {
      description: 'Revoked.',
      headers: entityTagHeader,
      content: { 'application/json': { schema: tokenSchema } },
    },
    ...problems(400, 401, 404, 412, 429),
  },
});
const getWhoami = createRoute({
  method: 'get',
  path: '/v1/whoami',
  operationId: 'getWhoami',
  summary: 'Whose request this is, and what it may do',
  description: 'The token of the request with its grants. `anonymous` without one.',
  tags,
  responses: {
    200: { description: 'The token, without its secret.', content: { 'application/json': { schema: whoamiSchema } } },
    ...problems(400, 401, 429),
  },
});

/** Routes of tokens. */
export function registerTokens(app: OpenAPIHono<AppEnv>, { catalog }: Gateway): void {
  app.openapi(createTokenRoute, async (c) => {
    const { name, grants, expiresAt } = c.req.valid('json');
    const by = c.var.principal;
    checkToken(by);
    const created = await createToken(catalog, by, {
      name,
      grants: grants.map(parseGrant),
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
    });
    c.set('written', {
      tokenId: created.record.id,
      tokenName: name,
      grants,
      ...(expiresAt !== undefined && { expiresAt }),
    });
    // The answer must not be stored: it contains a secret.
    c.set('isSecret', true);
    return c.json({ ...renderToken(created.record), token: created.text }, 201, { 'Cache-Control': 'no-store' });
  });
  app.openapi(listTokens, async (c) => {
    const by = c.var.principal;
    checkToken(by);
    const page = pageOf(c.req.valid('query'));
    const listed = await listGrantable(catalog, by, page);
    return c.json({ items: listed.map(renderToken), ...nextOfPage(page, listed, (last) => last.id) }, 200);
  });
  app.openapi(getToken, async (c) => {
    const by = c.var.principal;
    checkToken(by);
    const shown = renderToken(await revocable(catalog, by, c.req.valid('param').tokenId));
    return unchanged(c, shown) ?? c.json(shown, 200);
  });
  app.openapi(revokeToken, async (c) => {
    const by = c.var.principal;
    checkToken(by);
    const { id } = await revocable(catalog, by, c.req.valid('param').tokenId);
    const asRead = preconditionOf(c, async (tx) => renderToken(await tx.tokens.lock(id)));
    const revoked = await catalog.transaction(async (tx) => {
      await asRead?.(tx);
      return tx.tokens.revoke(id);
    });
    const shown = renderToken(revoked);
    tagged(c, shown);
    return c.json(shown, 200);
  });
  app.openapi(getWhoami, (c) => {
    const { id, name, grants } = c.var.principal;
    return c.json({ id, name, grants: grants.map(formatGrant) }, 200);
  });
}
