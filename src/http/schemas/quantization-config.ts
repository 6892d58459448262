import { z } from '@hono/zod-openapi';
import type { QuantizationConfig } from '../../checkpoint/quantization-config.ts';

const numbers = {
  bins: z.number().int().min(2).max(256),
  embeddingBins: z.number().int().min(2).max(256),
  pruneFraction: z.number().min(0).lt(1),
  protectFraction: z.number().min(0).lt(1),
};
const method = z.literal('inshrinkerator');
const pruneMetric = z.enum(['magnitude', 'sensitivity']);
const example = { method: 'inshrinkerator', bins: 8, embeddingBins: 16, pruneFraction: 0.2, pruneMetric: 'magnitude', protectFraction: 0.005 } as const;

export const quantizationConfigSchema = z.object({ method, ...numbers, pruneMetric }).openapi('QuantizationConfig', { example });

/** As a client gives it. Defaults are filled in here and not by the schema: generated clients take a default for a required key. */
export const quantizationConfigInput = z
  .strictObject({
    method: method.optional(),
    ...numbers,
    pruneMetric: pruneMetric.optional().openapi({ description: '`magnitude` by default.' }),
  })
  .openapi('QuantizationConfigInput', { example })
  .transform((given): QuantizationConfig => ({
    ...given,
    method: given.method ?? 'inshrinkerator',
    pruneMetric: given.pruneMetric ?? 'magnitude',
  }));
