import { z } from '@hono/zod-openapi';
import { estimateStates, type Estimate } from '../../catalog/contract/estimate-records.ts';
import { firnErrorCodes } from '../../checkpoint/firn-error.ts';
import { resourcePaths, type CheckpointAddress } from '../answer/resource-paths.ts';
import { renderResult, resultSchema } from './checkpoint/checkpoint-result.ts';
import { estimateExample } from './examples/estimate-example.ts';
import { allowLargeSchema, thresholdsInput, thresholdsSchema } from './quantization/thresholds.ts';

/** What an estimate is asked for. */
export const estimateInput = z
  .strictObject({ thresholds: thresholdsInput, allowLarge: allowLargeSchema })
  .openapi('EstimateInput', { example: { thresholds: { loss: 0.01 } } });

export const estimateSchema = z
  .object({
    run: z.string(),
    step: z.number().int(),
    thresholds: thresholdsSchema,
    state: z.enum(estimateStates),
    result: resultSchema.optional().openapi({
      description: 'Once it is `done`: what the checkpoint would have if it came now. Nothing of it is stored.',
    }),
    error: z.object({ code: z.enum(firnErrorCodes), message: z.string() }).optional(),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().optional(),
    href: z.string(),
  })
  .openapi('Estimate', { example: estimateExample });

/** An estimate in the API's form. */
export function renderEstimate(
  { thresholds, state, result, errorCode, errorMessage, createdAt, finishedAt }: Estimate,
  address: CheckpointAddress,
) {
  return {
    run: address.run,
    step: address.step,
    thresholds: { ...thresholds },
    state,
    ...(result !== undefined && { result: renderResult(result) }),
    ...(errorCode !== undefined && { error: { code: errorCode, message: errorMessage ?? '' } }),
    createdAt: createdAt.toISOString(),
    ...(finishedAt !== undefined && { finishedAt: finishedAt.toISOString() }),
    href: resourcePaths.estimate(address),
  } satisfies z.infer<typeof estimateSchema>;
}
