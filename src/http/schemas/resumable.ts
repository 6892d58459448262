import { z } from '@hono/zod-openapi';
import { evalSetParts } from '../../catalog/contract/eval-set-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { UploadPiece, UploadRecord } from '../../catalog/contract/uploads/upload-records.ts';
import { fileRoles } from '../../checkpoint/role.ts';
import { partBytesDefault, partBytesMax, partBytesMin } from '../../ingest/resumable/piece-limits.ts';
import { partCount } from '../../ingest/resumable/receive-part.ts';
import { byteStreamType } from '../request/body/incoming-body.ts';
import { resourcePaths } from '../answer/resource-paths.ts';
import { filePathSchema, sha256Schema } from './parameters.ts';
import { binarySchema } from './upload.ts';
import { uploadExample, uploadPartExample } from './examples/upload-examples.ts';

const partsInput = z.strictObject({
  sizeBytes: z.number().int().min(0).openapi({ description: 'Of the whole.' }),
  sha256: sha256Schema.optional().openapi({ description: 'Of the whole; checked when it is complete.' }),
  partBytes: z
    .number()
    .int()
    .min(partBytesMin)
    .max(partBytesMax)
    .default(partBytesDefault)
    .openapi({ description: 'Of each part but the last.' }),
});
export const filePartsInput = partsInput
  .extend({ path: filePathSchema, role: z.enum(fileRoles).optional() })
  .openapi('FileUploadInput', { example: { path: 'model.safetensors', sizeBytes: 20_000_000, partBytes: 8_388_608 } });
export const evalSetPartsInput = partsInput
  .extend({ part: z.enum(evalSetParts) })
  .openapi('EvalSetUploadInput', { example: { part: 'graph', sizeBytes: 20_000_000 } });

/** A tus client's query; it takes precedence over Upload-Metadata, which many clients always send. */
export const fileUploadQuery = z.object({
  path: filePathSchema.optional().openapi({
    description: 'tus: path of the file; else `path` or `filename` of Upload-Metadata.',
    example: 'model.safetensors',
  }),
  role: z
    .enum(fileRoles)
    .optional()
    .openapi({ description: 'tus: by default as announced, else taken from the name.' }),
  sha256: sha256Schema.optional().openapi({ description: 'tus: of the whole; checked with its last byte.' }),
});
export const evalSetUploadQuery = z.object({
  part: z
    .enum(evalSetParts)
    .optional()
    .openapi({ description: 'tus: what the upload is; else `part` of Upload-Metadata.' }),
  sha256: fileUploadQuery.shape.sha256,
});

const tusResumable = z.string().optional().openapi({ description: 'Version of tus, 1.0.0.', example: '1.0.0' });
const uploadChecksum = z.string().optional().openapi({
  description:
    'Of the bytes of this request: `sha1` or `sha256`, a space, and base64. They are then kept all or not at all.',
  example: 'sha1 2jmj7l5rSw0yVb/vlWAYkK/YBwk=',
});

/** Header fields of a creation; tus-headers.ts interprets them. */
export const creationHeaders = z.object({
  'tus-resumable': tusResumable.openapi({
    description: 'With it the upload is one of tus 1.0; without it the body says how many parts it has.',
  }),
  'upload-length': z
    .string()
    .optional()
    .openapi({ description: 'tus: bytes of the whole. It cannot be deferred.', example: '1048576' }),
  'upload-metadata': z.string().optional().openapi({
    description:
      'tus: keys, each followed by a space and base64; `path` or `filename`, `role`, `sha256`, `part` are looked at.',
  }),
  'upload-checksum': uploadChecksum,
});
export const bytesHeaders = z.object({
  'tus-resumable': tusResumable,
  'upload-offset': z
    .string()
    .optional()
    .openapi({ description: 'Where the bytes go: at the end of what has arrived.', example: '0' }),
  'upload-checksum': uploadChecksum,
});

export const byteStreamContent = {
  [byteStreamType]: { schema: binarySchema, example: '(the next bytes of the file)' },
} as const;

export const uploadSchema = z
  .object({
    id: z.string(),
    href: z.string(),
    state: z.enum(['open', 'complete']).openapi({ description: '`complete`: what it was for has it.' }),
    path: z.string().optional(),
    part: z.enum(evalSetParts).optional(),
    sizeBytes: z.number().int(),
    receivedBytes: z.number().int().openapi({ description: 'Durable.' }),
    sha256: z.string().optional(),
    partBytes: z.number().int().optional().openapi({ description: 'Present when the upload comes in parts.' }),
    partCount: z.number().int().optional(),
    expiresAt: z.iso.datetime().openapi({ description: 'Unless more bytes come.' }),
  })
  .openapi('Upload', { example: uploadExample });

export function renderUpload(repository: Repository, upload: UploadRecord) {
  const { id, isComplete, path, part, sizeBytes, receivedBytes, sha256, partBytes, expiresAt } = upload;
  return {
    id,
    href: resourcePaths.upload(repository, id),
    state: isComplete ? ('complete' as const) : ('open' as const),
    ...(path !== undefined && { path }),
    ...(part !== undefined && { part }),
    sizeBytes,
    receivedBytes,
    ...(sha256 !== undefined && { sha256 }),
    ...(partBytes !== undefined && { partBytes, partCount: partCount(upload) }),
    expiresAt: expiresAt.toISOString(),
  } satisfies z.infer<typeof uploadSchema>;
}

export const uploadPartSchema = z
  .object({ number: z.number().int(), sizeBytes: z.number().int(), sha256: z.string() })
  .openapi('UploadPart', { example: uploadPartExample });
export const uploadPartList = z
  .object({ items: z.array(uploadPartSchema), next: z.string().optional() })
  .openapi('UploadPartList', { example: { items: [uploadPartExample] } });

/** A piece of an upload in parts. */
export function renderPart({ partBytes }: UploadRecord, { offsetBytes, sizeBytes, sha256 }: UploadPiece) {
  return { number: offsetBytes / partBytes! + 1, sizeBytes, sha256: sha256! } satisfies z.infer<
    typeof uploadPartSchema
  >;
}

const text = { schema: { type: 'string' as const } };
/** Header fields of an answer about an upload. */
export const uploadAnswerHeaders = {
  'Upload-Offset': {
    description: 'What has arrived, from the beginning on; absent where the upload comes in parts.',
    ...text,
  },
  'Upload-Length': { description: 'Bytes of the whole.', ...text },
  'Upload-Expires': { description: 'When the upload is given up unless more bytes come.', ...text },
};
