import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Catalog } from '../../../catalog/contract/catalog.ts';
import type { Precondition } from '../../../catalog/contract/precondition.ts';
import type { Run } from '../../../catalog/contract/run-records.ts';
import type { AppEnv } from '../../app-env.ts';
import type { Gateway } from '../../gateway.ts';
import { tagged, unchanged } from '../../answer/entity-tag.ts';
import {
  changeHeaders,
  entityTagHeader,
  notModified,
  preconditionOf,
  readHeaders,
} from '../../request/preconditions.ts';
import { createLocate, found } from '../../request/locate.ts';
import { locateBaseModel } from './locate-base-model.ts';
import { namesOfRun } from './names-of-run.ts';
import { nextOfPage, pageOf } from '../../schemas/page.ts';
import { resourcePaths } from '../../answer/resource-paths.ts';
import { idempotencyHeaders, pageQuery, repositoryParams, runParams } from '../../schemas/parameters.ts';
import { problems } from '../../schemas/problem.ts';
import { renderRun, runChange, runInput, runList, runSchema } from '../../schemas/run.ts';

const tags = ['Runs'];
const collection = '/v1/repositories/{namespace}/{name}/runs';
const json = { 'application/json': { schema: runSchema } };

const createRunRoute = createRoute({
  method: 'post',
  path: collection,
  operationId: 'createRun',
  summary: 'Create a run, or fork one from a checkpoint',
  description:
    'Says how its checkpoints are kept: exact, or lossy inside `thresholds` on an eval set. With ' +
    '`forkFrom` it goes on from a checkpoint of the repository, and inherits what is not given. With `baseModel` ' +
    'its first checkpoint is stored against a checkpoint of any repository that the token may read.',
  tags,
  request: {
    params: repositoryParams,
    headers: idempotencyHeaders,
    body: { required: true, content: { 'application/json': { schema: runInput } } },
  },
  responses: {
    201: { description: 'Created; Location names it.', headers: entityTagHeader, content: json },
    ...problems(400, 401, 403, 404, 408, 409, 413, 415, 422, 429),
  },
});
const listRuns = createRoute({
  method: 'get',
  path: collection,
  operationId: 'listRuns',
  summary: 'List the runs of a repository',
  description:
    'Ordered by name. Each has its options as they are in force, and the counts of its checkpoints by state.',
  tags,
  request: { params: repositoryParams, query: pageQuery },
  responses: {
    200: { description: 'One page.', content: { 'application/json': { schema: runList } } },
    ...problems(400, 401, 403, 404, 429),
  },
});
const getRun = createRoute({
  method: 'get',
  path: `${collection}/{run}`,
  operationId: 'getRun',
  summary: 'Describe a run',
  description:
    'Its options as they are in force, with those that were not given at their defaults. The counts of its ' +
    'checkpoints are part of the answer, so that the ETag changes with them.',
  tags,
  request: { params: runParams, headers: readHeaders },
  responses: {
    200: { description: 'The run.', headers: entityTagHeader, content: json },
    304: notModified,
    ...problems(400, 401, 403, 404, 412, 429),
  },
});

const changeRun = createRoute({
  method: 'patch',
  path: `${collection}/{run}`,
  operationId: 'changeRun',
  summary: 'Give a run another eval set or other thresholds, close it, or open it again',
  tags,
  request: {
    params: runParams,
    headers: changeHeaders,
    body: { required: true, content: { 'application/json': { schema: runChange } } },
  },
  description:
    'From the next checkpoint on: one that is committed keeps what the run had then. Thresholds that are not ' +
    'given stay if the new eval set has all their metrics, else the default holds on its first one. ' +
    'An eval set that no checkpoint of the run could be measured with is refused, with what is in the way. A ' +
    'checkpoint that failed for its eval set is tried again with `POST .../checkpoints/{step}/retry`; ' +
    'those that are ready stay as they are. A closed run refuses new steps with `run-closed`.',
  responses: {
    200: { description: 'The run as it is now.', headers: entityTagHeader, content: json },
    ...problems(400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 429),
  },
});

const deleteRun = createRoute({
  method: 'delete',
  path: `${collection}/{run}`,
  operationId: 'deleteRun',
  summary: 'Delete a run with all its checkpoints',
  tags,
  request: { params: runParams, headers: changeHeaders },
  description:
    'Open reservations are given up; a run with a checkpoint that is queued or being compressed is refused. ' +
    'The name is free at once. Checkpoints that other ' +
    'runs build on are kept, out of sight, until nothing does.',
  responses: { 204: { description: 'Deleted.' }, ...problems(400, 401, 403, 404, 409, 412, 429) },
});

async function shownRun(catalog: Catalog, run: Run) {
  return renderRun(run, await namesOfRun(catalog, run));
}

/** Of a run whose row the verb locks. */
function asRead(c: Context<AppEnv>, { id }: Run): Precondition | undefined {
  return preconditionOf(c, async (tx) => shownRun(tx, found(await tx.runs.get(id), 'run')));
}

/** Routes of runs. */
export function registerRuns(app: OpenAPIHono<AppEnv>, { catalog, runs }: Gateway): void {
  const locate = createLocate(catalog);
  app.openapi(createRunRoute, async (c) => {
    const repository = await locate(c, 'write').repository(c.req.valid('param'));
    const { baseModel, ...input } = c.req.valid('json');
    const builtOn = baseModel && (await locateBaseModel(catalog, locate(c, 'read'), baseModel));
    c.set('repositoryId', repository.id);
    const run = await runs.create(repository, { ...input, builtOn }, c.req.raw.signal);
    const address = { ...c.req.valid('param'), run: run.name };
    const shown = await shownRun(catalog, run);
    tagged(c, shown);
    return c.json(shown, 201, { Location: resourcePaths.run(address) });
  });
  app.openapi(listRuns, async (c) => {
    const repository = await locate(c, 'read').repository(c.req.valid('param'));
    const page = pageOf(c.req.valid('query'));
    const listed = await catalog.runs.list(repository.id, page);
    const counts = await catalog.checkpoints.counts(listed.map(({ id }) => id));
    const items = await Promise.all(listed.map(async (run) => renderRun(run, await namesOfRun(catalog, run, counts))));
    return c.json({ items, ...nextOfPage(page, listed, (last) => last.name) }, 200);
  });
  app.openapi(getRun, async (c) => {
    const run = await locate(c, 'read').run(c.req.valid('param'));
    const shown = await shownRun(catalog, run);
    return unchanged(c, shown) ?? c.json(shown, 200);
  });
  app.openapi(changeRun, async (c) => {
    const run = await locate(c, 'write').run(c.req.valid('param'));
    const options = { precondition: asRead(c, run), signal: c.req.raw.signal };
    const shown = await shownRun(catalog, await runs.change(run, c.req.valid('json'), options));
    tagged(c, shown);
    return c.json(shown, 200);
  });
  app.openapi(deleteRun, async (c) => {
    const run = await locate(c, 'write').run(c.req.valid('param'));
    await runs.delete(run, asRead(c, run));
    return c.body(null, 204);
  });
}
