import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import type { AppEnv } from '../../app-env.ts';
import { resourcePaths } from '../../answer/resource-paths.ts';
import type { Gateway } from '../../gateway.ts';
import { createLocate, found } from '../../request/locate.ts';
import { estimateInput, estimateSchema, renderEstimate } from '../../schemas/estimate.ts';
import { checkpointParams, idempotencyHeaders, readCheckpointParams } from '../../schemas/parameters.ts';
import { problems } from '../../schemas/problem.ts';

const tags = ['Checkpoints'];
const path = '/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/estimate';
const json = { 'application/json': { schema: estimateSchema } };

const estimateCheckpoint = createRoute({
  method: 'post',
  path,
  operationId: 'estimateCheckpoint',
  summary: 'Find out what a ready checkpoint would take at other thresholds',
  description:
    'Queues the search, the encoding and the verification that the checkpoint would have if it came now, with the ' +
    'upload that the run still keeps of its newest ready checkpoint; its result says config, bytes and metrics. ' +
    'Nothing is stored and nothing counts as usage; the checkpoint stays as it is. It waits while checkpoints do, ' +
    'and replaces the last estimate of the checkpoint. Refused with what to do if the upload is gone.',
  tags,
  request: {
    params: checkpointParams,
    headers: idempotencyHeaders,
    body: { required: true, content: { 'application/json': { schema: estimateInput } } },
  },
  responses: {
    202: { description: 'Queued; Location names it.', content: json },
    ...problems(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503),
  },
});
const getEstimate = createRoute({
  method: 'get',
  path,
  operationId: 'getEstimate',
  summary: 'Describe the last estimate of a checkpoint',
  description: 'Its state, and once it is `done` what the checkpoint would take at its thresholds.',
  tags,
  request: { params: readCheckpointParams },
  responses: { 200: { description: 'The estimate.', content: json }, ...problems(400, 401, 403, 404, 429) },
});
const cancelEstimate = createRoute({
  method: 'post',
  path: `${path}/cancel`,
  operationId: 'cancelEstimate',
  summary: 'Stop the estimate of a checkpoint',
  description: 'At once if it waits, else soon. One that has ended stays as it is.',
  tags,
  request: { params: checkpointParams, headers: idempotencyHeaders },
  responses: {
    200: { description: 'The estimate.', content: json },
    ...problems(400, 401, 403, 404, 409, 429),
  },
});

/** Routes of estimates. */
export function registerEstimates(app: OpenAPIHono<AppEnv>, { catalog, checkpoints }: Gateway): void {
  const locate = createLocate(catalog);
  app.openapi(estimateCheckpoint, async (c) => {
    const names = c.req.valid('param');
    const { run, checkpoint } = await locate(c, 'write').checkpoint(names);
    const estimate = await checkpoints.estimate(run, checkpoint, c.req.valid('json'));
    return c.json(renderEstimate(estimate, names), 202, { Location: resourcePaths.estimate(names) });
  });
  app.openapi(getEstimate, async (c) => {
    const names = c.req.valid('param');
    const { checkpoint } = await locate(c, 'read').checkpoint(names);
    const estimate = found(await catalog.estimates.get(checkpoint.id), 'estimate');
    return c.json(renderEstimate(estimate, { ...names, step: checkpoint.step }), 200);
  });
  app.openapi(cancelEstimate, async (c) => {
    const names = c.req.valid('param');
    const { checkpoint } = await locate(c, 'write').checkpoint(names);
    return c.json(renderEstimate(await checkpoints.cancelEstimate(checkpoint), names), 200);
  });
}
