import { createHash } from 'node:crypto';
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { AppEnv } from '../../app-env.ts';
import { checkReady } from '../../answer/choose-representation.ts';
import type { Gateway } from '../../gateway.ts';
import { headOperation } from '../../answer/head-operation.ts';
import { createLocate } from '../../request/locate.ts';
import { binaryContent, dtypeOfView, rangeHeaders, tensorHeaders, viewDtypeSchema } from '../../schemas/download.ts';
import { tensorParams } from '../../schemas/parameters.ts';
import { problems } from '../../schemas/problem.ts';
import { sendView } from '../../answer/send-view.ts';

const getTensor = createRoute({
  method: 'get',
  path: '/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/tensors/{tensor{.+}}',
  operationId: 'getTensor',
  summary: 'Download the elements of one tensor, little-endian',
  description:
    'Its bytes alone, of a safetensors file of a checkpoint that is ready, optionally in another ' +
    'floating-point dtype. Ranges are of these bytes.',
  tags: ['Files'],
  request: {
    params: tensorParams,
    query: z.object({
      dtype: viewDtypeSchema
        .optional()
        .openapi({ description: 'Convert a floating-point tensor; others come as they are.' }),
    }),
    headers: rangeHeaders,
  },
  responses: {
    200: { description: 'All elements.', headers: tensorHeaders, content: binaryContent },
    206: { description: 'One range of their bytes.', headers: tensorHeaders, content: binaryContent },
    304: { description: 'The tensor has the ETag of If-None-Match.' },
    ...problems(400, 401, 403, 404, 409, 412, 416, 429, 500),
  },
});

/** The route of single tensors. */
export function registerTensors(app: OpenAPIHono<AppEnv>, { catalog, downloads, log }: Gateway): void {
  const locate = createLocate(catalog);
  app.openapi(getTensor, async (c) => {
    const { tensor, ...names } = c.req.valid('param');
    const { checkpoint } = await locate(c, 'read').checkpoint(names);
    checkReady(checkpoint);
    const { dtype: viewed } = c.req.valid('query');
    // Ready bytes never change, so checkpoint, name and view identify them.
    const digest = createHash('sha256').update(`${checkpoint.id}\n${tensor}`).digest('hex');
    const etag = viewed === undefined ? `"${digest}"` : `"${digest}.${viewed}"`;
    return sendView(
      c,
      {
        etag,
        headers: ({ dtype, shape }) => ({
          'Content-Type': 'application/octet-stream',
          'Firn-Dtype': dtype,
          'Firn-Shape': shape.join(','),
        }),
        open: () => downloads.openTensor(checkpoint, tensor, viewed && { dtype: dtypeOfView[viewed] }),
      },
      log,
    );
  });
  app.openAPIRegistry.registerPath(
    headOperation(getTensor, {
      operationId: 'headTensor',
      summary: 'Size, dtype and shape of one tensor',
      description: 'The header fields of the download, from metadata alone.',
    }),
  );
}
