import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { scopeOn, visibleTo } from '../../access/principal.ts';
import type { Context } from 'hono';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import { checkNewNamespace } from '../../checkpoint/names.ts';
import type { AppEnv } from '../app-env.ts';
import type { Gateway } from '../gateway.ts';
import { tagged, unchanged } from '../answer/entity-tag.ts';
import { changeHeaders, entityTagHeader, notModified, preconditionOf, readHeaders } from '../request/preconditions.ts';
import { checkScope, createLocate } from '../request/locate.ts';
import { nextOfPage, pageOf } from '../schemas/page.ts';
import { resourcePaths } from '../answer/resource-paths.ts';
import { idempotencyHeaders, repositoriesQuery, repositoryParams } from '../schemas/parameters.ts';
import { problems } from '../schemas/problem.ts';
import {
  renderRepository,
  repositoryChange,
  repositoryInput,
  repositoryList,
  repositorySchema,
} from '../schemas/repository.ts';

const tags = ['Repositories'];
const json = { 'application/json': { schema: repositorySchema } };

const createRepository = createRoute({
  method: 'post',
  path: '/v1/repositories',
  operationId: 'createRepository',
  summary: 'Create a repository',
  description:
    'The place of runs and eval sets. It is private and empty. Needs the scope write on its name; a ' +
    'namespace comes to be with its first repository.',
  tags,
  request: {
    headers: idempotencyHeaders,
    body: { required: true, content: { 'application/json': { schema: repositoryInput } } },
  },
  responses: {
    201: { description: 'Created; Location names it.', headers: entityTagHeader, content: json },
    ...problems(400, 401, 403, 408, 409, 413, 415, 429),
  },
});
const listRepositories = createRoute({
  method: 'get',
  path: '/v1/repositories',
  operationId: 'listRepositories',
  summary: 'List repositories, by name, namespace and visibility',
  description:
    'Those that the token may read, ordered by namespace and name; without a token the public ones. `search`, ' +
    '`namespace` and `visibility` leave out the others; with several of them, a repository has to meet all.',
  tags,
  request: { query: repositoriesQuery },
  responses: {
    200: { description: 'One page.', content: { 'application/json': { schema: repositoryList } } },
    ...problems(400, 401, 403, 429),
  },
});
const getRepository = createRoute({
  method: 'get',
  path: '/v1/repositories/{namespace}/{name}',
  operationId: 'getRepository',
  summary: 'Describe a repository',
  description: 'Who can read it, and how weights that hub clients push are kept.',
  tags,
  request: { params: repositoryParams, headers: readHeaders },
  responses: {
    200: { description: 'The repository.', headers: entityTagHeader, content: json },
    304: notModified,
    ...problems(400, 401, 403, 404, 412, 429),
  },
});
const changeRepository = createRoute({
  method: 'patch',
  path: '/v1/repositories/{namespace}/{name}',
  operationId: 'changeRepository',
  summary: 'Change who can read a repository, and how pushed weights are kept',
  description:
    '`visibility` says who reads it; `hub` says how weights that hub clients push are kept from now on. ' +
    'What is not given stays. Needs the scope admin on it.',
  tags,
  request: {
    params: repositoryParams,
    headers: changeHeaders,
    body: { required: true, content: { 'application/json': { schema: repositoryChange } } },
  },
  responses: {
    200: { description: 'The repository as it is now.', headers: entityTagHeader, content: json },
    ...problems(400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 429),
  },
});

const deleteRepository = createRoute({
  method: 'delete',
  path: '/v1/repositories/{namespace}/{name}',
  operationId: 'deleteRepository',
  summary: 'Delete a repository with its runs, eval sets and commits',
  description:
    'Needs the scope admin on it. What is being compressed is cancelled first; 409 if that does not stop within ' +
    'twenty seconds: then send it again. If-Match is looked at before anything is deleted. The name is free at ' +
    'once. Bytes go after the grace; what runs of other repositories build on is kept, out of sight, until ' +
    'nothing does.',
  tags,
  request: { params: repositoryParams, headers: changeHeaders },
  responses: { 204: { description: 'Deleted.' }, ...problems(400, 401, 403, 404, 409, 412, 429) },
});

/** Routes of repositories. */
export function registerRepositories(app: OpenAPIHono<AppEnv>, { catalog, hub }: Gateway): void {
  const locate = createLocate(catalog);
  const asRead = (c: Context<AppEnv>, { id }: Repository) =>
    preconditionOf(c, async (tx) => renderRepository(await tx.repositories.lock(id)));
  app.openapi(createRepository, async (c) => {
    const { namespace, name, type = 'model', visibility = 'private' } = c.req.valid('json');
    // Check the scope before the lookup, so that the answer does not reveal whether the repository exists.
    checkScope(c.var.principal, scopeOn(c.var.principal, { namespace, name }), 'write');
    checkNewNamespace(namespace);
    const repository = await catalog.repositories.create({ namespace, name, type, visibility });
    const shown = renderRepository(repository);
    tagged(c, shown);
    return c.json(shown, 201, { Location: resourcePaths.repository(repository) });
  });
  app.openapi(listRepositories, async (c) => {
    const { search, namespace, visibility, ...asked } = c.req.valid('query');
    const page = pageOf(asked);
    const filter = { search, namespace, visibility };
    const repositories = await catalog.repositories.list(page, visibleTo(c.var.principal), filter);
    return c.json(
      {
        items: repositories.map(renderRepository),
        ...nextOfPage(page, repositories, (last) => `${last.namespace}/${last.name}`),
      },
      200,
    );
  });
  app.openapi(changeRepository, async (c) => {
    const repository = await locate(c, 'admin').repository(c.req.valid('param'));
    const shown = renderRepository(await hub.changeRepository(repository, c.req.valid('json'), asRead(c, repository)));
    tagged(c, shown);
    return c.json(shown, 200);
  });
  app.openapi(deleteRepository, async (c) => {
    const repository = await locate(c, 'admin').repository(c.req.valid('param'));
    await hub.deleteRepository(repository, asRead(c, repository));
    return c.body(null, 204);
  });
  app.openapi(getRepository, async (c) => {
    const shown = renderRepository(await locate(c, 'read').repository(c.req.valid('param')));
    return unchanged(c, shown) ?? c.json(shown, 200);
  });
}
