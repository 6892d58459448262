import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { scopeOn, visibleTo } from '../../access/principal.ts';
import type { Quota } from '../../catalog/contract/storage/usage-records.ts';
import type { AppEnv } from '../app-env.ts';
import type { Gateway } from '../gateway.ts';
import { tagged, unchanged } from '../answer/entity-tag.ts';
import { entityTagHeader, notModified, preconditionOf, readHeaders, replaceHeaders } from '../request/preconditions.ts';
import { checkScope, found, checkToken, createLocate } from '../request/locate.ts';
import { nextOfPage, pageOf } from '../schemas/page.ts';
import { namespaceParams, pageQuery, repositoryParams } from '../schemas/parameters.ts';
import { problems } from '../schemas/problem.ts';
import { namespaceUsageList, quotaInput, renderNamespaceUsage, renderUsage, usageSchema } from '../schemas/usage.ts';

const tags = ['Usage'];

const listUsage = createRoute({
  method: 'get',
  path: '/v1/usage',
  operationId: 'listUsage',
  summary: 'What namespaces take',
  tags,
  description:
    'Of every namespace that the token may read as a whole. Right after each change: what was deleted is no ' +
    'longer logical at once, and pending deletion until it is gone.',
  request: { query: pageQuery },
  responses: {
    200: { description: 'One page, by name.', content: { 'application/json': { schema: namespaceUsageList } } },
    ...problems(400, 401, 429),
  },
});
const getUsage = createRoute({
  method: 'get',
  path: '/v1/repositories/{namespace}/{name}/usage',
  operationId: 'getRepositoryUsage',
  summary: 'What a repository takes',
  description:
    'Logical bytes are what was uploaded, stored bytes what lies in the store; the parts of `stored` add ' +
    'up to them.',
  tags,
  request: { params: repositoryParams },
  responses: {
    200: { description: 'In bytes.', content: { 'application/json': { schema: usageSchema } } },
    ...problems(400, 401, 403, 404, 429),
  },
});
const quota = { 'application/json': { schema: quotaInput } };
const getQuota = createRoute({
  method: 'get',
  path: '/v1/namespaces/{namespace}/quota',
  operationId: 'getQuota',
  summary: 'What a namespace may take',
  tags,
  description: 'For a token that may read the whole namespace; 404 if it has no quota.',
  request: { params: namespaceParams, headers: readHeaders },
  responses: {
    200: { description: 'The limit.', headers: entityTagHeader, content: quota },
    304: notModified,
    ...problems(400, 401, 403, 404, 412, 429),
  },
});
const putQuota = createRoute({
  method: 'put',
  path: '/v1/namespaces/{namespace}/quota',
  operationId: 'putQuota',
  summary: 'Limit what a namespace may take',
  tags,
  description:
    'For a token with admin on everything. The namespace need not have a repository yet. What is stored ' +
    'already stays, whatever the limit.',
  request: {
    params: namespaceParams,
    headers: replaceHeaders,
    body: { required: true, content: quota },
  },
  responses: {
    200: { description: 'The limit from now on.', headers: entityTagHeader, content: quota },
    ...problems(400, 401, 403, 408, 412, 413, 415, 429),
  },
});

function renderQuota({ storedBytesMax }: Quota) {
  return { storedBytesMax };
}

/** Routes of usage and quotas. */
export function registerUsage(app: OpenAPIHono<AppEnv>, { catalog }: Gateway): void {
  const locate = createLocate(catalog);
  app.openapi(listUsage, async (c) => {
    checkToken(c.var.principal);
    const page = pageOf(c.req.valid('query'));
    const visible = visibleTo(c.var.principal);
    const listed = await catalog.usage.namespaces(page, visible === 'all' ? undefined : visible.namespaces);
    return c.json(
      { items: listed.map(renderNamespaceUsage), ...nextOfPage(page, listed, (last) => last.namespace) },
      200,
    );
  });
  app.openapi(getUsage, async (c) => {
    const { id } = await locate(c, 'read').repository(c.req.valid('param'));
    return c.json(renderUsage(await catalog.usage.repository(id)), 200);
  });
  app.openapi(getQuota, async (c) => {
    const { namespace } = c.req.valid('param');
    checkScope(c.var.principal, scopeOn(c.var.principal, { namespace }), 'read');
    const shown = renderQuota(found(await catalog.usage.quota(namespace), 'quota'));
    return unchanged(c, shown) ?? c.json(shown, 200);
  });
  app.openapi(putQuota, async (c) => {
    checkScope(c.var.principal, scopeOn(c.var.principal, {}), 'admin');
    const { storedBytesMax } = c.req.valid('json');
    const { namespace } = c.req.valid('param');
    const asRead = preconditionOf(c, async (tx) => {
      const now = await tx.usage.lockQuota(namespace);
      return now && renderQuota(now);
    });
    await catalog.transaction(async (tx) => {
      await asRead?.(tx);
      await tx.usage.setQuota(namespace, storedBytesMax === null ? undefined : { storedBytesMax });
    });
    const shown = { storedBytesMax };
    tagged(c, shown);
    return c.json(shown, 200);
  });
}
