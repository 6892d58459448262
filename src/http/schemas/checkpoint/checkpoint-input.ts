import { z } from '@hono/zod-openapi';
import { metricCountMax } from '../../../checkpoint/quality/eval-set-spec.ts';
import { fileRoles } from '../../../checkpoint/role.ts';
import { filePathSchema, sha256Schema, stepSchema } from '../parameters.ts';
import { finalInput } from '../quantization/final-quality.ts';
import { layerTypesSchema } from '../quantization/layer-types.ts';
import { quantizationConfigInput } from '../quantization/quantization-config.ts';
import { evaluationChange } from '../quantization/thresholds.ts';

/** Most files announced at once. */
const announcedFilesMax = 10_000;

export const expectsSchema = z
  .record(z.string(), z.number())
  .refine((expects) => Object.keys(expects).length <= metricCountMax, `must name at most ${metricCountMax} metrics`)
  .openapi({
    description:
      'What the training job measured, by the names of metrics of the eval set of the run. Where Firn ' +
      'measures something else of the uploaded checkpoint (`search.expectsWithin` of the run), it is ' +
      'stored exact, ' +
      'with both figures in the reason: then eval set and training do not measure the same.',
    example: { loss: 1.8604 },
  });

/** A query parameter that contains JSON. */
const jsonText = z.string().transform((text, ctx) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    ctx.addIssue('must be a JSON object');
    return z.NEVER;
  }
});

const base64Schema = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .openapi({ type: 'string', format: 'byte' });

export const checkpointInput = z
  .strictObject({
    step: stepSchema,
    files: z
      .array(
        z.strictObject({
          path: filePathSchema,
          role: z.enum(fileRoles).optional().openapi({ description: 'By default taken from the name of the file.' }),
          sizeBytes: z.number().int().min(0).optional(),
          sha256: sha256Schema.optional(),
          content: base64Schema.optional().openapi({
            description: 'The bytes of a small file in base64; then it need not be uploaded.',
            example: 'eyJhIjoxfQ==',
          }),
        }),
      )
      .max(announcedFilesMax)
      .optional()
      .openapi({ description: 'Files that must arrive before the commit. Others may be added.' }),
    commit: z.boolean().optional().openapi({
      description: 'Commit it with this call: every file has its `content` here or has arrived before.',
    }),
    config: quantizationConfigInput.optional().openapi({ description: 'Use this config instead of a search.' }),
    layerTypes: layerTypesSchema.optional().openapi({
      description: 'Tensor to layer type for this checkpoint; each entry wins over that of the run.',
      example: { 'head.weight': 'embedding' },
    }),
    expects: expectsSchema.optional(),
    final: finalInput.optional(),
  })
  .openapi('CheckpointInput', {
    example: { step: 1000, files: [{ path: 'model.safetensors' }, { path: 'model.grad.safetensors' }] },
  });

/** Query of a checkpoint pushed in one request, whose body is the file. */
export const pushQuery = z.object({
  layerTypes: jsonText.pipe(layerTypesSchema).optional().openapi({
    type: 'string',
    description: 'A JSON object, tensor to layer type, for this checkpoint; each entry wins over that of the run.',
    example: '{"head.weight":"embedding"}',
  }),
  expects: jsonText.pipe(expectsSchema).optional().openapi({
    type: 'string',
    description: 'A JSON object, metric to what the training job measured; as `expects` of a reservation.',
    example: '{"loss":1.8604}',
  }),
  final: jsonText.pipe(finalInput).optional().openapi({
    type: 'string',
    description: '`true`, or a JSON object; as `final` of a reservation.',
    example: '{"exact":true}',
  }),
});

/** Input of a retry of a failed checkpoint. */
export const retryInput = z.strictObject(evaluationChange).openapi('RetryInput', {
  description: 'What it is measured with this time. By default what the run has now.',
  example: { evalSet: 'held-out-2' },
});
