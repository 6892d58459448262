import { z } from '@hono/zod-openapi';

/** A body or answer of raw bytes; validators do not read it. */
export const binarySchema = z.custom<unknown>(() => true).openapi({ type: 'string', format: 'binary' });

export const binaryBody = {
  required: true,
  content: { 'application/octet-stream': { schema: binarySchema, example: '(the bytes of the file)' } },
} as const;

const digestExample = 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:';

/** Header fields of an upload; read-upload.ts interprets them. */
export const uploadHeaders = z.object({
  'repr-digest': z.string().optional().openapi({
    description:
      'RFC 9530; a sha-256 and a sha-512 are checked against the body, other algorithms are not. Keys are lower-case.',
    example: digestExample,
  }),
  'content-digest': z.string().optional().openapi({ description: 'As Repr-Digest.', example: digestExample }),
});
