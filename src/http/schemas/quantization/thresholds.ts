import { z } from '@hono/zod-openapi';
import { metricCountMax } from '../../../checkpoint/quality/eval-set-spec.ts';
import { gainLookBackMax, progressTighteningMax } from '../../../checkpoint/quality/degradation-limits.ts';
import { progressAfterRestart } from '../../../checkpoint/quality/thresholds-after-restart.ts';
import { defaultThreshold, plainThresholdMax } from '../../../checkpoint/quality/quality.ts';
import { nameSchema } from '../parameters.ts';

/** Largest threshold. */
const thresholdMax = 10;
/** Largest absolute bound; its unit is the metric's. */
const absoluteMax = 1e9;

const boundsSchema = z
  .strictObject({
    relative: z
      .number()
      .min(0)
      .max(thresholdMax)
      .optional()
      .openapi({ description: 'Largest share of what the uploaded checkpoint has that may be lost.' }),
    absolute: z
      .number()
      .min(0)
      .max(absoluteMax)
      .optional()
      .openapi({ description: "Largest change for the worse, in the metric's own unit." }),
    progress: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .openapi({
        description:
          'Largest share that may be lost of what the metric gained since the checkpoint before: the ' +
          'nearest earlier one of the run, or up to the fork point of the run it was forked from, that is ' +
          'ready and was measured on the same eval set. ' +
          'If the metric is no better than there, the gain is the mean per checkpoint since the nearest of ' +
          `the last ${gainLookBackMax} that it is better than; if there is none, the other bounds hold ` +
          'alone. ' +
          `Without \`relative\` and \`absolute\`, \`relative\` is ${defaultThreshold} beside it. It makes ` +
          `these at most ${progressTighteningMax} times tighter. ` +
          `Where it is not given, it is ${progressAfterRestart} once training has gone on from rebuilt weights.`,
      }),
  })
  .refine(
    (bounds) => Object.values(bounds).some((bound) => bound !== undefined),
    'must have relative, absolute or progress',
  )
  .openapi('ThresholdBounds', {
    description: 'Bounds on one metric, of which the tightest holds.',
    example: { relative: defaultThreshold, progress: 0.5 },
  });

export const thresholdsSchema = z
  .record(z.string(), z.union([z.number().min(0).max(thresholdMax), boundsSchema]))
  .openapi({
    description:
      'Metric to largest degradation accepted in one checkpoint: a share of what the uploaded ' +
      'checkpoint has, or, of the kinds `kl-divergence`, `agreement` and `deviation`, the change ' +
      'itself. ' +
      'An object has several bounds, of which the tightest holds.',
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
      `One above ${plainThresholdMax} needs \`allowLarge\`. An object has several bounds, of which the tightest ` +
      'holds, `progress` among them. The answer says in `thresholdsInWords` what they allow.',
    example: { loss: defaultThreshold },
  });

export const allowLargeSchema = z
  .boolean()
  .optional()
  .openapi({
    description:
      `Must be true where a threshold is above ${plainThresholdMax}: ` + 'it lets through what most would call damage.',
  });

/** Eval set and thresholds of future checkpoints; values that are not given stay. */
export const evaluationChange = {
  evalSet: nameSchema
    .optional()
    .openapi({ description: 'Name of a ready eval set of the repository.', example: 'held-out' }),
  thresholds: thresholdsInput.optional(),
  allowLarge: allowLargeSchema,
};
