import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { UploadRecord } from '../../catalog/contract/uploads/upload-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { AppEnv } from '../app-env.ts';
import type { Gateway } from '../gateway.ts';
import { headOperation } from '../answer/head-operation.ts';
import { byteStreamType, isByteStream } from '../request/body/incoming-body.ts';
import { invalidRequest } from '../request/invalid-request.ts';
import { createLocate, found, type RepositoryNames } from '../request/locate.ts';
import { nextOfPage, pageOf } from '../schemas/page.ts';
import { readNextBytes } from '../request/body/read-next-bytes.ts';
import { readUpload } from '../request/body/read-upload.ts';
import { idempotencyHeaders, pageQuery, uploadParams, uploadPartParams } from '../schemas/parameters.ts';
import { problems } from '../schemas/problem.ts';
import {
  byteStreamContent,
  bytesHeaders,
  renderPart,
  renderUpload,
  uploadAnswerHeaders,
  uploadPartList,
  uploadPartSchema,
  uploadSchema,
} from '../schemas/resumable.ts';
import { binaryBody, uploadHeaders } from '../schemas/upload.ts';
import { setUploadHeaders } from '../answer/upload-headers.ts';
import { parseByteCount } from '../request/tus-headers.ts';
import { offerTus } from './new-uploads.ts';

const tags = ['Uploads'];
const member = '/v1/repositories/{namespace}/{name}/uploads/{uploadId}';
const json = { 'application/json': { schema: uploadSchema } };

const getUpload = createRoute({
  method: 'get',
  path: member,
  operationId: 'getUpload',
  summary: 'Describe an upload',
  description: 'How much of it is durable, and when it expires.',
  tags,
  request: { params: uploadParams },
  responses: {
    200: { description: 'The upload.', headers: uploadAnswerHeaders, content: json },
    ...problems(400, 401, 403, 404, 412, 429),
  },
});
const patchUpload = createRoute({
  method: 'patch',
  path: member,
  operationId: 'patchUpload',
  summary: 'Send the next bytes (tus)',
  description:
    'Bytes at `Upload-Offset`, which must be where the upload is. What was acknowledged is durable, even ' +
    'if the request breaks: ask for the offset with HEAD and go on. The last byte checks the whole.',
  tags,
  request: { params: uploadParams, headers: bytesHeaders, body: { required: true, content: byteStreamContent } },
  responses: {
    204: { description: 'Durable; with the last byte, what the upload is for has it.', headers: uploadAnswerHeaders },
    ...problems(400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 423, 429, 460, 503, 507),
  },
});
const deleteUpload = createRoute({
  method: 'delete',
  path: member,
  operationId: 'deleteUpload',
  summary: 'Give an upload up',
  description: 'Its bytes are dropped. The checkpoint or the eval set stays as it is.',
  tags,
  request: { params: uploadParams },
  responses: { 204: { description: 'Gone.' }, ...problems(400, 401, 403, 404, 412, 429) },
});
const putPart = createRoute({
  method: 'put',
  path: `${member}/parts/{number}`,
  operationId: 'putUploadPart',
  summary: 'Send a part, in any order, any number of times',
  description:
    'Each but the last has `partBytes` bytes. A part that is sent again replaces itself. Several may be ' +
    'on their way at once.',
  tags,
  request: { params: uploadPartParams, headers: uploadHeaders, body: binaryBody },
  responses: {
    200: { description: 'Durable.', content: { 'application/json': { schema: uploadPartSchema } } },
    ...problems(400, 401, 403, 404, 408, 409, 413, 415, 423, 429, 503, 507),
  },
});
const listParts = createRoute({
  method: 'get',
  path: `${member}/parts`,
  operationId: 'listUploadParts',
  summary: 'List the parts that have arrived',
  description: 'What is missing has to be sent before the upload can be completed.',
  tags,
  request: { params: uploadParams, query: pageQuery },
  responses: {
    200: { description: 'One page, by number.', content: { 'application/json': { schema: uploadPartList } } },
    ...problems(400, 401, 403, 404, 409, 429),
  },
});
const completeUpload = createRoute({
  method: 'post',
  path: `${member}/complete`,
  operationId: 'completeUpload',
  summary: 'Put the parts together',
  description:
    'Checks the whole as one body: length, digest, safetensors header. It then has its place, in the ' +
    'checkpoint or the eval set.',
  tags,
  request: { params: uploadParams, headers: idempotencyHeaders },
  responses: {
    200: { description: 'What the upload is for has it.', content: json },
    ...problems(400, 401, 403, 404, 409, 413, 422, 423, 429, 503, 507),
  },
});

type UploadNames = RepositoryNames & { readonly uploadId: string };

/**
 * Routes of an upload, whatever its target: any token that may write to its repository can continue it, at any gateway.
 */
export function registerUploads(app: OpenAPIHono<AppEnv>, gateway: Gateway): void {
  const { catalog, resumable, bodyPace } = gateway;
  const locate = createLocate(catalog);
  const locateUpload = async (
    c: Context<AppEnv>,
    names: UploadNames,
  ): Promise<{ repository: Repository; upload: UploadRecord }> => {
    const repository = await locate(c, 'write').repository(names);
    return { repository, upload: found(await catalog.uploads.find(repository.id, names.uploadId), 'upload') };
  };
  const describe = async (c: Context<AppEnv>, names: UploadNames) => {
    const { repository, upload } = await locateUpload(c, names);
    setUploadHeaders(c, upload);
    return renderUpload(repository, upload);
  };
  const append = async (c: Context<AppEnv>, names: UploadNames) => {
    const { upload } = await locateUpload(c, names);
    if (c.req.header('tus-resumable') === undefined)
      throw new FirnError('precondition-failed', 'Say Tus-Resumable: 1.0.0.');
    if (!isByteStream(c))
      throw new FirnError('unsupported-media-type', `The body must be ${byteStreamType} and say so in Content-Type.`);
    const offsetBytes = parseByteCount('Upload-Offset', c.req.header('upload-offset'));
    setUploadHeaders(c, await resumable.receiveBytes(upload, readNextBytes(c, offsetBytes, bodyPace)));
    return c.body(null, 204);
  };
  const end = async (c: Context<AppEnv>, names: UploadNames) => {
    await resumable.end((await locateUpload(c, names)).upload);
    return c.body(null, 204);
  };
  app.openapi(getUpload, async (c) => c.json(await describe(c, c.req.valid('param')), 200));
  app.openapi(patchUpload, (c) => append(c, c.req.valid('param')));
  app.openapi(deleteUpload, (c) => end(c, c.req.valid('param')));
  app.openapi(putPart, async (c) => {
    const { number, ...names } = c.req.valid('param');
    const { upload } = await locateUpload(c, names);
    return c.json(renderPart(upload, await resumable.receivePart(upload, number, readUpload(c, bodyPace))), 200);
  });
  app.openapi(listParts, async (c) => {
    const { upload } = await locateUpload(c, c.req.valid('param'));
    if (upload.partBytes === undefined) throw new FirnError('conflict', 'The upload is one without parts.');
    const page = pageOf(c.req.valid('query'));
    const pieces = await catalog.uploads.pieces(upload.id, page);
    return c.json(
      {
        items: pieces.map((piece) => renderPart(upload, piece)),
        ...nextOfPage(page, pieces, ({ offsetBytes }) => String(offsetBytes)),
      },
      200,
    );
  });
  app.openapi(completeUpload, async (c) => {
    const { repository, upload } = await locateUpload(c, c.req.valid('param'));
    return c.json(renderUpload(repository, await resumable.complete(upload)), 200);
  });
  offerTus(app, member);
  app.openAPIRegistry.registerPath(
    headOperation(getUpload, {
      operationId: 'headUpload',
      summary: 'Where an upload is (tus)',
      description: '`Upload-Offset` says where to go on after a break.',
    }),
  );
  overrideMethod(app, { HEAD: describe, PATCH: append, DELETE: end });
}

/**
 * Overrides the method with a header field, as tus allows, for clients behind a proxy that passes only GET and POST.
 */
function overrideMethod(
  app: OpenAPIHono<AppEnv>,
  verbs: Readonly<Record<string, (c: Context<AppEnv>, names: UploadNames) => Promise<unknown>>>,
): void {
  app.post(member.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
    const method = c.req.header('x-http-method-override')?.toUpperCase() ?? '';
    const verb = Object.hasOwn(verbs, method) ? verbs[method] : undefined;
    if (verb === undefined)
      throw new FirnError(
        'invalid-request',
        `A POST here names another method in X-HTTP-Method-Override: ${Object.keys(verbs).join(', ')}.`,
      );
    const names = uploadParams.safeParse(c.req.param());
    if (!names.success) throw invalidRequest(names.error.issues);
    const answer = await verb(c, names.data);
    return answer instanceof Response ? answer : c.body(null, 204);
  });
}
