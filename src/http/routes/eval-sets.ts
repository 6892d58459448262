import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { EvalSet, EvalSetPart } from '../../catalog/contract/eval-set-records.ts';
import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import type { AppEnv } from '../app-env.ts';
import type { Gateway } from '../gateway.ts';
import { tagged, unchanged } from '../answer/entity-tag.ts';
import { changeHeaders, entityTagHeader, notModified, preconditionOf, readHeaders } from '../request/preconditions.ts';
import { createLocate, found, type EvalSetNames } from '../request/locate.ts';
import { nextOfPage, pageOf } from '../schemas/page.ts';
import { resourcePaths } from '../answer/resource-paths.ts';
import {
  checkedEvalSet,
  evalSetInput,
  evalSetList,
  evalSetReport,
  evalSetSchema,
  renderEvalSet,
  renderReport,
} from '../schemas/eval-set.ts';
import {
  checkpointName,
  evalSetParams,
  idempotencyHeaders,
  pageQuery,
  repositoryParams,
} from '../schemas/parameters.ts';
import { problems } from '../schemas/problem.ts';
import { binaryBody, uploadHeaders } from '../schemas/upload.ts';
import { readUpload } from '../request/body/read-upload.ts';

const tags = ['Eval sets'];
const collection = '/v1/repositories/{namespace}/{name}/eval-sets';
const member = `${collection}/{evalSet}` as const;
const json = { 'application/json': { schema: evalSetSchema } };

const checkedWith = {
  description:
    'A checkpoint of the repository whose model files have arrived, as `run@step`; its state does not matter.',
};

const createEvalSet = createRoute({
  method: 'post',
  path: collection,
  operationId: 'createEvalSet',
  summary: 'Create an eval set',
  description:
    'Says which graph inputs the batches fill and what is measured. Then upload its graph and its ' +
    'batches, and commit it: runs name only eval sets that are ready.',
  tags,
  request: {
    params: repositoryParams,
    headers: idempotencyHeaders,
    body: { required: true, content: { 'application/json': { schema: evalSetInput } } },
  },
  responses: {
    201: {
      description: 'Created, open for its graph and batches; Location names it.',
      headers: entityTagHeader,
      content: json,
    },
    ...problems(400, 401, 403, 404, 408, 409, 413, 415, 429),
  },
});
const listEvalSets = createRoute({
  method: 'get',
  path: collection,
  operationId: 'listEvalSets',
  summary: 'List the eval sets of a repository',
  description: 'By name, whatever their state.',
  tags,
  request: { params: repositoryParams, query: pageQuery },
  responses: {
    200: { description: 'One page.', content: { 'application/json': { schema: evalSetList } } },
    ...problems(400, 401, 403, 404, 429),
  },
});
const getEvalSet = createRoute({
  method: 'get',
  path: member,
  operationId: 'getEvalSet',
  summary: 'Describe an eval set',
  description:
    'Its spec, what has arrived of it, and its state: `open` until it is committed, then `ready`, or ' +
    '`failed` with the reason.',
  tags,
  request: { params: evalSetParams, headers: readHeaders },
  responses: {
    200: { description: 'The eval set.', headers: entityTagHeader, content: json },
    304: notModified,
    ...problems(400, 401, 403, 404, 412, 429),
  },
});
const deleteEvalSet = createRoute({
  method: 'delete',
  path: member,
  operationId: 'deleteEvalSet',
  summary: 'Delete an eval set that nothing uses',
  tags,
  request: { params: evalSetParams, headers: changeHeaders },
  description:
    'Refused, saying what uses it, while a run measures its checkpoints with it, or a checkpoint that is ' +
    'queued, being compressed, or failed and can be tried again. `PATCH` of the run gives it another one.',
  responses: { 204: { description: 'Deleted.' }, ...problems(400, 401, 403, 404, 409, 412, 429) },
});
const putPart = <const Part extends EvalSetPart>(
  part: Part,
  text: { operationId: string; summary: string; description: string },
) =>
  createRoute({
    method: 'put',
    path: `${member}/${part}` as const,
    ...text,
    tags,
    request: { params: evalSetParams, headers: uploadHeaders.extend(changeHeaders.shape), body: binaryBody },
    responses: {
      200: { description: 'Received.', headers: entityTagHeader, content: json },
      ...problems(400, 401, 403, 404, 408, 409, 411, 412, 413, 415, 422, 429, 503, 507),
    },
  });
const putGraph = putPart('graph', {
  operationId: 'putEvalSetGraph',
  summary: 'Upload the ONNX graph, with or without its weights',
  description:
    'Weights that the checkpoints fill need not be in it. It is checked with the commit; before that it can be ' +
    'sent again, and replaces what was there.',
});
const putBatches = putPart('batches', {
  operationId: 'putEvalSetBatches',
  summary: 'Upload the inputs and labels as safetensors',
  description:
    'One file, whose tensors have the rows of all batches: those that `inputs` of the spec names, and the labels. ' +
    'Before the commit it can be sent again, and replaces what was there.',
});
const commitEvalSet = createRoute({
  method: 'post',
  path: `${member}/commit`,
  operationId: 'commitEvalSet',
  summary: 'Check graph, batches and metrics against each other',
  tags,
  request: {
    params: evalSetParams,
    headers: idempotencyHeaders.extend(changeHeaders.shape),
    query: z.object({ check: checkpointName.optional().openapi(checkedWith) }),
  },
  description:
    'With `check` a checkpoint of the repository is measured first, and the answer says how everything was ' +
    'read; where that fails the set stays open, to be mended.',
  responses: {
    200: { description: 'Ready for runs.', content: { 'application/json': { schema: checkedEvalSet } } },
    ...problems(400, 401, 403, 404, 409, 412, 422, 429, 503, 507),
  },
});
const checkEvalSet = createRoute({
  method: 'post',
  path: `${member}/check`,
  operationId: 'checkEvalSet',
  summary: 'Measure a checkpoint on an eval set, open or ready',
  tags,
  request: {
    params: evalSetParams,
    headers: idempotencyHeaders,
    query: z.object({ checkpoint: checkpointName.openapi(checkedWith) }),
  },
  description:
    'Says how graph, batches, labels and weights were read, and what looks like a mistake. Nothing changes. ' +
    'It is refused with what a checkpoint of a run would fail with; ' +
    'for a model larger than `FIRN_EVAL_MEMORY_MIB`; and for a while, with Retry-After, while too many ' +
    'checks wait or the scratch disk has no room.',
  responses: {
    200: { description: 'What was found.', content: { 'application/json': { schema: evalSetReport } } },
    ...problems(400, 401, 403, 404, 409, 422, 429, 503, 507),
  },
});

/** Routes of eval sets. */
export function registerEvalSets(app: OpenAPIHono<AppEnv>, gateway: Gateway): void {
  const { catalog, uploads, bodyPace } = gateway;
  const locate = createLocate(catalog);
  const asRead = (c: Context<AppEnv>, { id }: EvalSet) =>
    preconditionOf(c, async (tx) => renderEvalSet(await tx.evalSets.lock(id)));
  app.openapi(createEvalSet, async (c) => {
    const repository = await locate(c, 'write').repository(c.req.valid('param'));
    const { name, spec } = c.req.valid('json');
    const evalSet = await catalog.evalSets.create({ repositoryId: repository.id, name, spec: spec as EvalSetSpec });
    const shown = renderEvalSet(evalSet);
    tagged(c, shown);
    return c.json(shown, 201, { Location: resourcePaths.evalSet(repository, name) });
  });
  app.openapi(listEvalSets, async (c) => {
    const repository = await locate(c, 'read').repository(c.req.valid('param'));
    const page = pageOf(c.req.valid('query'));
    const evalSets = await catalog.evalSets.list(repository.id, page);
    return c.json({ items: evalSets.map(renderEvalSet), ...nextOfPage(page, evalSets, (last) => last.name) }, 200);
  });
  app.openapi(getEvalSet, async (c) => {
    const shown = renderEvalSet(await locate(c, 'read').evalSet(c.req.valid('param')));
    return unchanged(c, shown) ?? c.json(shown, 200);
  });
  app.openapi(deleteEvalSet, async (c) => {
    const evalSet = await locate(c, 'write').evalSet(c.req.valid('param'));
    await uploads.deleteEvalSet(evalSet, asRead(c, evalSet));
    return c.body(null, 204);
  });
  /** The eval set with the part that the request carries. */
  const withPart = async (c: Context<AppEnv>, evalSet: EvalSet, part: EvalSetPart) => {
    await uploads.receiveEvalSetPart(evalSet, part, readUpload(c, bodyPace), asRead(c, evalSet));
    const shown = renderEvalSet(found(await catalog.evalSets.get(evalSet.id), 'eval set'));
    tagged(c, shown);
    return shown;
  };
  app.openapi(putGraph, async (c) => {
    const evalSet = await locate(c, 'write').evalSet(c.req.valid('param'));
    return c.json(await withPart(c, evalSet, 'graph'), 200);
  });
  app.openapi(putBatches, async (c) => {
    const evalSet = await locate(c, 'write').evalSet(c.req.valid('param'));
    return c.json(await withPart(c, evalSet, 'batches'), 200);
  });
  const reportOn = async (c: Context<AppEnv>, names: EvalSetNames, { run, step }: { run: string; step: number }) => {
    const { checkpoint } = await locate(c, 'write').checkpoint({ ...names, run, step });
    return renderReport(
      await gateway.evalSets.check(await locate(c, 'write').evalSet(names), checkpoint, c.req.raw.signal),
    );
  };
  app.openapi(commitEvalSet, async (c) => {
    const names = c.req.valid('param');
    const evalSet = await locate(c, 'write').evalSet(names);
    const { check } = c.req.valid('query');
    const precondition = asRead(c, evalSet);
    const report = check === undefined ? undefined : await reportOn(c, names, check);
    const committed = renderEvalSet(await uploads.commitEvalSet(evalSet, precondition));
    return c.json({ ...committed, ...(report !== undefined && { check: report }) }, 200);
  });
  app.openapi(checkEvalSet, async (c) =>
    c.json(await reportOn(c, c.req.valid('param'), c.req.valid('query').checkpoint), 200),
  );
}
