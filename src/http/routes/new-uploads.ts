import { createRoute, type OpenAPIHono, type z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { evalSetParts, type EvalSetPart } from '../../catalog/contract/eval-set-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { UploadRecord } from '../../catalog/contract/uploads/upload-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { checkFilePath } from '../../checkpoint/names.ts';
import { fileRoles, type FileRole } from '../../checkpoint/role.ts';
import type { AnnouncedUpload } from '../../ingest/resumable/create-upload.ts';
import type { AppEnv } from '../app-env.ts';
import type { Gateway } from '../gateway.ts';
import { isByteStream } from '../request/body/incoming-body.ts';
import { createLocate } from '../request/locate.ts';
import { readNextBytes } from '../request/body/read-next-bytes.ts';
import { resourcePaths } from '../answer/resource-paths.ts';
import { checkpointParams, evalSetParams, idempotencyHeaders } from '../schemas/parameters.ts';
import { problems } from '../schemas/problem.ts';
import {
  byteStreamContent,
  creationHeaders,
  evalSetPartsInput,
  evalSetUploadQuery,
  filePartsInput,
  fileUploadQuery,
  renderUpload,
  uploadAnswerHeaders,
  uploadSchema,
} from '../schemas/resumable.ts';
import { setUploadHeaders } from '../answer/upload-headers.ts';
import { checksumAlgorithms, parseByteCount, parseMetadata } from '../request/tus-headers.ts';
import { tusVersionSpoken } from '../answer/tus-version.ts';

const tags = ['Uploads'];
const ofCheckpoint = '/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints/{step}/uploads';
const ofEvalSet = '/v1/repositories/{namespace}/{name}/eval-sets/{evalSet}/uploads';
const responses = {
  201: {
    description: 'Open; Location names it. Room for all of it is taken.',
    headers: uploadAnswerHeaders,
    content: { 'application/json': { schema: uploadSchema } },
  },
  ...problems(400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 429, 460, 503, 507),
};

const createFileUpload = createRoute({
  method: 'post',
  path: ofCheckpoint,
  operationId: 'createFileUpload',
  summary: 'Begin a resumable upload of a file of a reserved checkpoint',
  description:
    'With `Tus-Resumable` it is an upload of tus 1.0, whose bytes come in order; else the body says how ' +
    'large it is, and it comes in parts, in any order and at once. Location names it. It expires unless ' +
    'bytes come.',
  tags,
  request: {
    params: checkpointParams,
    headers: creationHeaders.extend(idempotencyHeaders.shape),
    query: fileUploadQuery,
    body: { content: { 'application/json': { schema: filePartsInput }, ...byteStreamContent } },
  },
  responses,
});
const createEvalSetUpload = createRoute({
  method: 'post',
  path: ofEvalSet,
  operationId: 'createEvalSetUpload',
  summary: 'Begin a resumable upload of the graph or the batches of an eval set',
  description:
    'As that of a file of a checkpoint: of tus 1.0 with `Tus-Resumable`, else in parts. Its last byte ' +
    'puts the graph or the batches in their place.',
  tags,
  request: {
    params: evalSetParams,
    headers: creationHeaders.extend(idempotencyHeaders.shape),
    query: evalSetUploadQuery,
    body: { content: { 'application/json': { schema: evalSetPartsInput }, ...byteStreamContent } },
  },
  responses,
});

type FileParts = z.infer<typeof filePartsInput>;
type EvalSetParts = z.infer<typeof evalSetPartsInput>;

/** Routes that begin uploads: with tus 1.0 if the request says so, else in parts as its JSON says. */
export function registerNewUploads(app: OpenAPIHono<AppEnv>, { catalog, resumable, bodyPace }: Gateway): void {
  const locate = createLocate(catalog);
  /**
   * Answers with the new upload, after storing the first bytes if the request carries some. An upload of no bytes is
   * complete at once, unless it is in parts.
   */
  const begin = async (c: Context<AppEnv>, repository: Repository, created: UploadRecord) => {
    const upload = await firstBytes(c, created);
    setUploadHeaders(c, upload);
    c.header('Location', resourcePaths.upload(repository, upload.id));
    return renderUpload(repository, upload);
  };
  const firstBytes = async (c: Context<AppEnv>, upload: UploadRecord): Promise<UploadRecord> => {
    try {
      const begun = isByteStream(c) ? await resumable.receiveBytes(upload, readNextBytes(c, 0, bodyPace)) : upload;
      return begun.sizeBytes === 0 && begun.partBytes === undefined ? await resumable.complete(begun) : begun;
    } catch (err) {
      // The client never got the upload's id.
      await resumable.end(upload);
      throw err;
    }
  };
  app.openapi(createFileUpload, async (c) => {
    const { repository, checkpoint } = await locate(c, 'write').checkpoint(c.req.valid('param'));
    const { path, role, announced } = speaksTus(c)
      ? tusFile(c, c.req.valid('query'))
      : inParts(c, c.req.valid('json') as FileParts);
    const created = await resumable.createForFile(
      repository,
      { checkpoint, path: checkFilePath(path), ...(role !== undefined && { role }) },
      announced,
    );
    return c.json(await begin(c, repository, created), 201);
  });
  app.openapi(createEvalSetUpload, async (c) => {
    const names = c.req.valid('param');
    const repository = await locate(c, 'write').repository(names);
    const evalSet = await locate(c, 'write').evalSet(names);
    const { part, announced } = speaksTus(c)
      ? tusPart(c, c.req.valid('query'))
      : inParts(c, c.req.valid('json') as EvalSetParts);
    return c.json(await begin(c, repository, await resumable.createForEvalSet(evalSet, part, announced)), 201);
  });
  offerTus(app, ofCheckpoint);
  offerTus(app, ofEvalSet);
}

/** Answers OPTIONS of a path with the supported features of tus. */
export function offerTus(app: OpenAPIHono<AppEnv>, path: string): void {
  app.options(path.replaceAll(/\{(\w+)\}/g, ':$1'), (c) =>
    c.body(null, 204, {
      'Tus-Resumable': tusVersionSpoken,
      'Tus-Version': tusVersionSpoken,
      'Tus-Extension': 'creation,creation-with-upload,checksum,expiration,termination',
      'Tus-Checksum-Algorithm': checksumAlgorithms.join(','),
    }),
  );
}

function speaksTus(c: Context<AppEnv>): boolean {
  return c.req.header('tus-resumable') !== undefined;
}

/** The announcement in the JSON of a request without tus. */
function inParts<Input extends { sizeBytes: number; partBytes: number; sha256?: string | undefined }>(
  c: Context<AppEnv>,
  input: Input,
) {
  // The validator accepts a request without any JSON.
  if (c.req.header('content-type')?.startsWith('application/json') !== true)
    throw new FirnError('unsupported-media-type', 'Send JSON for an upload in parts, or Tus-Resumable for one of tus.');
  const { sizeBytes, partBytes, sha256, ...target } = input;
  return { ...target, announced: { sizeBytes, partBytes, ...(sha256 !== undefined && { sha256 }) } };
}

interface TusCreation {
  readonly metadata: ReadonlyMap<string, string>;
  readonly announced: AnnouncedUpload;
}

function tusFile(
  c: Context<AppEnv>,
  query: { path?: string | undefined; role?: FileRole | undefined; sha256?: string | undefined },
) {
  const { metadata, announced } = readCreation(c, query.sha256);
  const path = query.path ?? metadata.get('path') ?? metadata.get('filename');
  if (path === undefined)
    throw new FirnError('invalid-request', 'Say which file it is: `path` in the query or in Upload-Metadata.');
  return { path, role: query.role ?? oneOf(fileRoles, 'role', metadata), announced };
}

function tusPart(c: Context<AppEnv>, query: { part?: EvalSetPart | undefined; sha256?: string | undefined }) {
  const { metadata, announced } = readCreation(c, query.sha256);
  const part = query.part ?? oneOf(evalSetParts, 'part', metadata);
  if (part === undefined)
    throw new FirnError(
      'invalid-request',
      'Say what it is: `part` in the query or in Upload-Metadata, graph or batches.',
    );
  return { part, announced };
}

function readCreation(c: Context<AppEnv>, asked: string | undefined): TusCreation {
  if (c.req.header('upload-defer-length') !== undefined)
    throw new FirnError('invalid-request', 'The length of an upload cannot be deferred: say Upload-Length.');
  if (c.req.header('upload-concat') !== undefined)
    throw new FirnError('invalid-request', 'Uploads are not concatenated here: send one in parts.');
  const sizeBytes = parseByteCount('Upload-Length', c.req.header('upload-length'));
  const field = c.req.header('upload-metadata');
  const metadata = parseMetadata(field);
  const sha256 = asked ?? metadata.get('sha256');
  return {
    metadata,
    announced: { sizeBytes, ...(sha256 !== undefined && { sha256 }), ...(field !== undefined && { metadata: field }) },
  };
}

function oneOf<Word extends string>(
  words: readonly Word[],
  key: string,
  metadata: ReadonlyMap<string, string>,
): Word | undefined {
  const given = metadata.get(key);
  if (given === undefined) return undefined;
  const word = words.find((each) => each === given);
  if (word === undefined)
    throw new FirnError('invalid-request', `The ${key} of Upload-Metadata must be one of ${words.join(', ')}.`);
  return word;
}
