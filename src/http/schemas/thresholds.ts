import { z } from '@hono/zod-openapi';
import { metricCountMax } from '../../checkpoint/quality/eval-set-spec.ts';
import { defaultThreshold, plainThresholdMax } from '../../checkpoint/quality/quality.ts';
import { nameSchema } from './parameters.ts';

/** Largest threshold. */
const thresholdMax = 10;

export const thresholdsSchema = z.record(z.string(), z.number().min(0).max(thresholdMax)).openapi({
  description:
    'Metric to largest degradation accepted in one checkpoint: a share of what the uploaded checkpoint has, ' +
    'or, of the kinds `kl-divergence`, `agreement` and `deviation`, the change itself.',
  example: { loss: defaultThreshold },
});

/** Thresholds in a client's input. */
export const thresholdsInput = thresholdsSchema
  .refine(
    (thresholds) => Object.keys(thresholds).length <= metricCountMax,
    `must name at most ${metricCountMax} metrics`,
  )
  .openapi({
    description:
      `Metric to largest degradation accepted in one checkpoint. By default ${defaultThreshold} (half a ` +
      'percent) on the first metric of the eval set. ' +
      `One above ${plainThresholdMax} needs \`allowLarge\`. The answer says in \`thresholdsInWords\` what they allow.`,
    example: { loss: defaultThreshold },
  });

export const allowLargeSchema = z
  .boolean()
  .optional()
  .openapi({
    description: `Must be true where a threshold is above ${plainThresholdMax}: it lets through what most would call damage.`,
  });

/** Eval set and thresholds of future checkpoints; values that are not given stay. */
export const evaluationChange = {
  evalSet: nameSchema
    .optional()
    .openapi({ description: 'Name of a ready eval set of the repository.', example: 'held-out' }),
  thresholds: thresholdsInput.optional(),
  allowLarge: allowLargeSchema,
};
