import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { checkFilePath } from '../../../checkpoint/names.ts';
import { fileRoles } from '../../../checkpoint/role.ts';
import type { AppEnv } from '../../app-env.ts';
import { attachmentNamed } from '../../answer/attachment-named.ts';
import { chooseRepresentation } from '../../answer/choose-representation.ts';
import { formatDigest } from '../../answer/digest-fields.ts';
import type { Gateway } from '../../gateway.ts';
import { headOperation } from '../../answer/head-operation.ts';
import { createLocate } from '../../request/locate.ts';
import { readUpload } from '../../request/body/read-upload.ts';
import { resourcePaths } from '../../answer/resource-paths.ts';
import { fileReceipt, renderCheckpoint } from '../../schemas/checkpoint/checkpoint.ts';
import { binaryContent, dtypeOfView, fileHeaders, rangeHeaders, viewDtypeSchema } from '../../schemas/download.ts';
import { fileParams, readFileParams } from '../../schemas/parameters.ts';
import { problems } from '../../schemas/problem.ts';
import { binaryBody, uploadHeaders } from '../../schemas/upload.ts';
import { sendFile } from '../../answer/send-file.ts';
import { sendView } from '../../answer/send-view.ts';

const tags = ['Files'];
/** The pattern lets the parameter contain slashes; openapi-document.ts writes it as plain `{path}`. */
const member = '/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/files/{path{.+}}';

const putFile = createRoute({
  method: 'put',
  path: member,
  operationId: 'putFile',
  summary: 'Upload a file of a reserved checkpoint',
  description:
    'The whole file in one body. It is checked while it arrives: its length and digest as announced, the ' +
    'header of a safetensors file. A refused body leaves nothing behind. Large files are better sent with ' +
    'a resumable upload.',
  tags,
  request: {
    params: fileParams,
    headers: uploadHeaders,
    body: binaryBody,
    query: z.object({
      role: z.enum(fileRoles).optional().openapi({ description: 'By default as announced, else taken from the name.' }),
      commit: z
        .literal('true')
        .optional()
        .openapi({
          description:
            'Commit the checkpoint once the file has arrived, for the last file. If the commit is refused, that is ' +
            'the answer, and the file is kept.',
        }),
    }),
  },
  responses: {
    201: {
      description: 'Received, and the checkpoint committed if that was asked.',
      content: { 'application/json': { schema: fileReceipt } },
    },
    200: {
      description: 'These very bytes were there already.',
      content: { 'application/json': { schema: fileReceipt } },
    },
    ...problems(400, 401, 403, 404, 408, 409, 411, 413, 415, 422, 429, 503, 507),
  },
});

const downloadQuery = z.object({
  as: z
    .literal('uploaded')
    .optional()
    .openapi({ description: '`uploaded`: the bytes as they were uploaded, while they are kept.' }),
  dtype: viewDtypeSchema.optional().openapi({ description: 'Convert the floating-point tensors of the rebuilt file.' }),
});
const getFile = createRoute({
  method: 'get',
  path: member,
  operationId: 'getFile',
  summary: 'Download a file, rebuilt or as uploaded',
  description:
    'By default what the checkpoint rebuilds, and for a moment 409 while it is compressed; with ' +
    '`as=uploaded` the upload while it is kept. One byte range at a time; only what it needs is decoded.',
  tags,
  request: { params: readFileParams, query: downloadQuery, headers: rangeHeaders },
  responses: {
    200: { description: 'The whole file.', headers: fileHeaders, content: binaryContent },
    206: { description: 'One range of it.', headers: fileHeaders, content: binaryContent },
    304: { description: 'The file has the ETag of If-None-Match.' },
    ...problems(400, 401, 403, 404, 409, 412, 416, 429, 500),
  },
});

/** Routes of a checkpoint's files. */
export function registerCheckpointFiles(app: OpenAPIHono<AppEnv>, gateway: Gateway): void {
  const { catalog, uploads, downloads, bodyPace, log } = gateway;
  const locate = createLocate(catalog);
  app.openapi(putFile, async (c) => {
    const { path, ...names } = c.req.valid('param');
    const { run, checkpoint } = await locate(c, 'write').checkpoint(names);
    const { role, commit } = c.req.valid('query');
    const receipt = await uploads.receiveFile(
      run,
      checkpoint,
      { path: checkFilePath(path), ...(role !== undefined && { role }) },
      readUpload(c, bodyPace),
    );
    const { sizeBytes, sha256 } = receipt.file;
    const href = resourcePaths.file(names, path);
    const committed = commit && (await uploads.commitCheckpoint(run, checkpoint, { signal: c.req.raw.signal }));
    return c.json(
      {
        path,
        role: receipt.file.role,
        sizeBytes: sizeBytes!,
        sha256: sha256!,
        href,
        ...(committed && { checkpoint: renderCheckpoint(committed.checkpoint, names) }),
      },
      receipt.created ? 201 : 200,
      { Location: href },
    );
  });
  app.openapi(getFile, async (c) => {
    const { path, ...names } = c.req.valid('param');
    const { checkpoint, file } = await locate(c, 'read').file(c.req.valid('param'));
    const { as, dtype } = c.req.valid('query');
    const chosen = chooseRepresentation(checkpoint, file, { as, dtype: dtype && dtypeOfView[dtype] });
    const headers = {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': attachmentNamed(path),
      ...(names.step === 'latest' && {
        'Content-Location': resourcePaths.file({ ...names, step: checkpoint.step }, path) + new URL(c.req.url).search,
      }),
    };
    if (chosen.source === 'view') {
      const { etag } = chosen;
      return sendView(
        c,
        { etag, headers, open: () => downloads.openFile(checkpoint, file, { dtype: chosen.dtype }) },
        log,
      );
    }
    const { etag, sizeBytes } = chosen;
    const open = () =>
      chosen.source === 'object' ? downloads.openObject(checkpoint, chosen.key) : downloads.openFile(checkpoint, file);
    return sendFile(
      c,
      { etag, sizeBytes, headers: { ...headers, 'Repr-Digest': formatDigest(chosen.sha256) }, open },
      log,
    );
  });
  app.openAPIRegistry.registerPath(
    headOperation(getFile, {
      operationId: 'headFile',
      summary: 'Size, digest and ETag of a file, from metadata alone',
      description: 'The header fields of the download, without decoding anything.',
    }),
  );
}
