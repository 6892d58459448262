import { z } from '@hono/zod-openapi';
import type { EvalSet } from '../../catalog/catalog.ts';
import { metricCountMax } from '../../checkpoint/eval-set-spec.ts';
import { firnErrorCodes } from '../../checkpoint/firn-error.ts';
import { metricKinds } from '../../checkpoint/metric-kind.ts';
import { nameSchema } from './parameters.ts';

/** Longest name of a graph input, output or tensor, in characters. */
const graphNameLengthMax = 1024;
/** Most rows of the batches fed to the graph at once. */
const batchRowsMax = 65_536;

const graphName = z.string().min(1).max(graphNameLengthMax);

const metricSchema = z.strictObject({
  name: nameSchema.openapi({ example: 'loss', description: 'Unique in the set; thresholds refer to it.' }),
  kind: z.enum(metricKinds),
  output: graphName.openapi({ description: 'Graph output.', example: 'logits' }),
  labels: graphName.optional().openapi({ description: 'Tensor of the batches with the labels; every kind but `loss` needs it.', example: 'labels' }),
});

export const evalSetSpecSchema = z
  .strictObject({
    inputs: z.record(graphName, graphName).openapi({ description: 'Graph input to tensor of the batches.', example: { input_ids: 'input_ids' } }),
    metrics: z
      .array(metricSchema)
      .min(1)
      .max(metricCountMax)
      .refine((metrics) => new Set(metrics.map((metric) => metric.name)).size === metrics.length, 'must have different names')
      .refine((metrics) => metrics.every((metric) => metric.kind === 'loss' || metric.labels !== undefined), 'must name labels, unless the kind is loss'),
    ignoreLabel: z.number().int().optional().openapi({ description: 'Positions with this label count in no metric.', example: -100 }),
    batchRows: z.number().int().min(1).max(batchRowsMax).optional().openapi({ description: 'Rows fed at once; 16 by default.' }),
    tensorMap: z
      .record(graphName, z.strictObject({ tensor: graphName, transpose: z.boolean().optional() }))
      .optional()
      .openapi({ description: 'Graph initializer to checkpoint tensor, where names differ.' }),
  })
  .openapi('EvalSetSpec');

export const evalSetInput = z
  .strictObject({
    name: nameSchema.openapi({ example: 'held-out' }),
    spec: evalSetSpecSchema,
  })
  .openapi('EvalSetInput');

const partSchema = z.object({ sizeBytes: z.number().int(), sha256: z.string() });

export const evalSetSchema = z
  .object({
    name: z.string(),
    state: z.enum(['open', 'ready', 'failed']),
    spec: evalSetSpecSchema,
    graph: partSchema.optional(),
    batches: partSchema.optional(),
    error: z.object({ code: z.enum(firnErrorCodes), message: z.string() }).optional(),
    createdAt: z.iso.datetime(),
  })
  .openapi('EvalSet');

export const evalSetList = z.object({ items: z.array(evalSetSchema), next: z.string().optional() }).openapi('EvalSetList');

export function renderEvalSet(evalSet: EvalSet) {
  const { name, state, spec, graphSha256, graphBytes, batchesSha256, batchesBytes, errorCode, errorMessage, createdAt } = evalSet;
  return {
    name,
    state,
    spec: spec as z.infer<typeof evalSetSpecSchema>,
    ...(graphSha256 !== undefined && graphBytes !== undefined && { graph: { sizeBytes: graphBytes, sha256: graphSha256 } }),
    ...(batchesSha256 !== undefined && batchesBytes !== undefined && { batches: { sizeBytes: batchesBytes, sha256: batchesSha256 } }),
    ...(errorCode !== undefined && { error: { code: errorCode, message: errorMessage ?? '' } }),
    createdAt: createdAt.toISOString(),
  } satisfies z.infer<typeof evalSetSchema>;
}
