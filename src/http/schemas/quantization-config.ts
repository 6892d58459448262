import { z } from '@hono/zod-openapi';

export const quantizationConfigSchema = z.strictObject({
  method: z.literal('inshrinkerator').default('inshrinkerator'),
  bins: z.number().int().min(2).max(256),
  embeddingBins: z.number().int().min(2).max(256),
  pruneFraction: z.number().min(0).lt(1),
  pruneMetric: z.enum(['magnitude', 'sensitivity']).default('magnitude'),
  protectFraction: z.number().min(0).lt(1),
}).openapi('QuantizationConfig', {
  example: { method: 'inshrinkerator', bins: 8, embeddingBins: 16, pruneFraction: 0.2, pruneMetric: 'magnitude', protectFraction: 0.005 },
});
