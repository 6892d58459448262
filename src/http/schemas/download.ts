import { z } from '@hono/zod-openapi';
import { quantizableDtypes, type QuantizableDtype } from '../../checkpoint/dtype.ts';
import { binarySchema } from './upload.ts';

export const binaryContent = {
  'application/octet-stream': { schema: binarySchema, example: '(the bytes, or those of the range)' },
} as const;

/** Dtypes of a view in the API. */
export const viewDtypeSchema = z.enum(quantizableDtypes.map((dtype) => dtype.toLowerCase() as Lowercase<typeof dtype>));

/** Maps them to the names in the rest of the system. */
export const dtypeOfView = Object.fromEntries(
  quantizableDtypes.map((dtype) => [dtype.toLowerCase(), dtype]),
) as Readonly<Record<Lowercase<QuantizableDtype>, QuantizableDtype>>;

/** Header fields of a download request (RFC 9110 sections 13 and 14). */
export const rangeHeaders = z.object({
  range: z
    .string()
    .optional()
    .openapi({ description: 'One byte range. Several give the whole file.', example: 'bytes=0-1023' }),
  'if-range': z.string().optional().openapi({ description: 'The range holds only for this ETag.' }),
  'if-match': z
    .string()
    .optional()
    .openapi({ description: 'ETags; answered only if that of the bytes is one of these, else 412.' }),
  'if-none-match': z
    .string()
    .optional()
    .openapi({ description: 'ETags that the client has; if that of the bytes is one of them, the answer is 304.' }),
});

const text = (description: string, required = true) => ({ description, required, schema: { type: 'string' as const } });

/** Header fields of a download's answer. */
export const fileHeaders = {
  ETag: text('Strong; made from the sha256 of the bytes.'),
  'Accept-Ranges': text('`bytes`.'),
  'Repr-Digest': text('sha-256 of the whole file (RFC 9530); absent for a dtype view.', false),
  'Content-Range': text('With 206.', false),
};

const { ETag, 'Accept-Ranges': acceptRanges, 'Content-Range': contentRange } = fileHeaders;
const common = { ETag, 'Accept-Ranges': acceptRanges, 'Content-Range': contentRange };

export const tensorHeaders = {
  ...common,
  'Firn-Dtype': text('Element type, as safetensors names it.'),
  'Firn-Shape': text('Dimensions with commas between; empty for a scalar.'),
};

export const packageHeaders = {
  ...common,
  'Firn-Package-Id': text(
    '32 hex digits, as in the package itself; of the checkpoint, where the package holds several.',
  ),
  'Firn-Merged-Package': text('Id of the package itself, where it holds several checkpoints.', false),
  'Firn-Super-Step': text('The same as Firn-Merged-Package, under its earlier name.', false),
  'Firn-Ancestor-Package': text('Id of the package that a delta needs besides.', false),
};
