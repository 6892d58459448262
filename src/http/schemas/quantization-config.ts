import { z } from '@hono/zod-openapi';
import { bitPriceMax, residualStepMax, residualStepMin, type QuantizationConfig } from '../../checkpoint/options/quantization-config.ts';

const numbers = {
  bins: z.number().int().min(2).max(256),
  embeddingBins: z.number().int().min(2).max(256),
  pruneFraction: z.number().min(0).lt(1),
  protectFraction: z.number().min(0).lt(1),
  bitPrice: z.number().min(0).max(bitPriceMax).optional().openapi({
    description:
      'Codebooks are entropy-constrained: what a bit a weight is worth, in the squared error that optimal k-means leaves with as many bins. Without it they are k-means.',
  }),
};
/** Digits of a step size: two indexes next to each other differ by two percent. */
const shownDigits = 4;
const pruneMetric = z.enum(['magnitude', 'sensitivity']);
const example = { method: 'inshrinkerator', bins: 8, embeddingBins: 16, pruneFraction: 0.2, pruneMetric: 'magnitude', protectFraction: 0.005 } as const;

const residual = {
  method: z.literal('residual'),
  step: z.number().int().min(residualStepMin).max(residualStepMax).openapi({
    description:
      'Index of the quantization step of an average tensor (no training step), in 1/32 octaves of the standard deviation of all quantized matrices: 0 is one standard deviation, 32 two.',
  }),
};

const inshrinkeratorSchema = z.object({ method: z.literal('inshrinkerator'), ...numbers, pruneMetric }).openapi('InshrinkeratorConfig', { example });
const stepSize = z.number().optional().openapi({
  description: 'The quantization step itself, in standard deviations of all quantized matrices: 2^(step/32). Only told.',
  example: 0.7071,
});
const residualSchema = z.object({ ...residual, stepSize }).openapi('ResidualConfig', { example: { method: 'residual', step: -16, stepSize: 0.7071 } });

export const quantizationConfigSchema = z.discriminatedUnion('method', [inshrinkeratorSchema, residualSchema]).openapi('QuantizationConfig');

/** As a client is told of it: with the size of the quantization step beside its index. */
export function renderConfig(config: QuantizationConfig): z.infer<typeof quantizationConfigSchema> {
  return config.method === 'residual' ? { ...config, stepSize: Number((2 ** (config.step / 32)).toPrecision(shownDigits)) } : config;
}

/** As a client gives it. Defaults are filled in here and not by the schema: generated clients take a default for a required key. */
const inshrinkeratorInput = z
  .strictObject({
    method: z.literal('inshrinkerator').optional().openapi({ description: '`inshrinkerator` by default, where bins are given.' }),
    ...numbers,
    pruneMetric: pruneMetric.optional().openapi({ description: '`magnitude` by default.' }),
  })
  .openapi('InshrinkeratorConfigInput', { example });

export const quantizationConfigInput = z
  .union([
    inshrinkeratorInput,
    z.strictObject({ ...residual, stepSize: stepSize.openapi({ description: 'As it was told; `step` alone decides.' }) }).openapi('ResidualConfigInput'),
  ])
  .openapi('QuantizationConfigInput')
  .transform((given): QuantizationConfig =>
    given.method === 'residual'
      ? { method: given.method, step: given.step }
      : { ...given, method: 'inshrinkerator', pruneMetric: given.pruneMetric ?? 'magnitude' },
  );
