import { z } from '@hono/zod-openapi';
import { metricCountMax } from '../../checkpoint/quality/eval-set-spec.ts';
import { defaultThreshold, plainThresholdMax } from '../../checkpoint/quality/quality.ts';
import { nameSchema } from './parameters.ts';

/** Largest threshold that may be asked for. */
const thresholdMax = 10;

export const thresholdsSchema = z.record(z.string(), z.number().min(0).max(thresholdMax)).openapi({
  description:
    'Metric to largest degradation accepted in one checkpoint: a share of what the uploaded checkpoint has, or, of the kinds `kl-divergence` and `agreement`, the change itself.',
  example: { loss: defaultThreshold },
});

/** As given: by default, and where they must be confirmed. */
export const thresholdsInput = thresholdsSchema
  .refine(
    (thresholds) => Object.keys(thresholds).length <= metricCountMax,
    `must name at most ${metricCountMax} metrics`,
  )
  .openapi({
    description:
      `Metric to largest degradation accepted in one checkpoint. By default ${defaultThreshold} (half a percent) on the first metric of the eval set. ` +
      `One above ${plainThresholdMax} needs \`allowLarge\`. The answer says in \`thresholdsInWords\` what they allow.`,
    example: { loss: defaultThreshold },
  });

export const allowLargeSchema = z
  .boolean()
  .optional()
  .openapi({
    description: `Must be true where a threshold is above ${plainThresholdMax}: it lets through what most would call damage.`,
  });

/** What checkpoints are to be measured with; what is not given stays. */
export const evaluationChange = {
  evalSet: nameSchema
    .optional()
    .openapi({ description: 'Name of a ready eval set of the repository.', example: 'held-out' }),
  thresholds: thresholdsInput.optional(),
  allowLarge: allowLargeSchema,
};
