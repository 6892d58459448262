import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import type { Principal } from '../../access/principal.ts';
import { readableChain } from '../../access/readable-chain.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import { MissingRevision } from '../../hub/tree/missing.ts';
import { planPull, type Pull } from '../../hub/tree/plan-pull.ts';
import { resolveRevision } from '../../hub/tree/resolve-revision.ts';
import type { AppEnv } from '../app-env.ts';
import type { Gateway } from '../gateway.ts';
import { createLocate } from '../request/locate.ts';
import { pullQuery, revisionParams } from '../schemas/parameters.ts';
import { problems } from '../schemas/problem.ts';
import { pullSchema, renderPull } from '../schemas/pull.ts';

const getPull = createRoute({
  method: 'get',
  // The pattern lets the parameter contain slashes; openapi-document.ts writes it as plain `{revision}`.
  path: '/v1/repositories/{namespace}/{name}/revisions/{revision{.+}}/packages',
  operationId: 'getPull',
  summary: 'List what a client downloads to rebuild a revision',
  description:
    'The files of a revision with their digests, and the packages they are rebuilt from. With `have`, the delta ' +
    'between two revisions: what is not `held` is all that a client with the one needs for the other. Of a ' +
    'fine-tune that is stored against its base model the packages are listed to who may read the base too.',
  tags: ['Packages'],
  request: { params: revisionParams, query: pullQuery },
  responses: {
    200: { description: 'Files and packages.', content: { 'application/json': { schema: pullSchema } } },
    ...problems(400, 401, 403, 404, 413, 429, 500),
  },
});

/** Routes of revisions, for clients that keep packages and decode them themselves. */
export function registerRevisions(app: OpenAPIHono<AppEnv>, { catalog }: Gateway): void {
  const locate = createLocate(catalog);
  const pullOf = async (repository: Repository, revision: string, principal: Principal): Promise<Pull> => {
    const snapshot = await resolveRevision(catalog, repository, revision);
    if (snapshot === undefined) throw new MissingRevision(revision);
    return planPull(catalog, repository, snapshot, (packageId) =>
      readableChain(catalog, { principal, repository }, packageId),
    );
  };
  app.openapi(getPull, async (c) => {
    const { revision, ...names } = c.req.valid('param');
    const { have } = c.req.valid('query');
    const repository = await locate(c, 'read').repository(names);
    const pull = await pullOf(repository, revision, c.var.principal);
    const before = have === undefined ? undefined : await pullOf(repository, have, c.var.principal);
    const held = new Set(before?.packages.flatMap(({ holds }) => holds));
    return c.json(renderPull(pull, repository, held), 200);
  });
}
