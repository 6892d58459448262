import { z } from '@hono/zod-openapi';
import { packageKinds, type CheckpointResult } from '../../../catalog/contract/checkpoint-records.ts';
import { deviceKinds, encodedOnKinds } from '../../../checkpoint/device-kind.ts';
import { metricKinds } from '../../../checkpoint/quality/metric-kind.ts';
import { fidelities } from '../../../checkpoint/role.ts';
import { quantizationConfigSchema, renderConfig } from '../quantization/quantization-config.ts';

/** JSON has no numbers that are not finite. */
export const metricValues = z
  .record(z.string(), z.number().nullable())
  .openapi({ description: 'Metric to value; null when not finite.', example: { loss: 3.21 } });

export const measuredOnSchema = z.enum(deviceKinds).openapi('DeviceKind', {
  description: 'What the metrics were measured on: the processor, or a GPU through CUDA.',
  example: 'cpu',
});

const observedMetric = z
  .object({
    kind: z.enum(metricKinds),
    baseline: z.number().nullable(),
    measured: z.number().nullable(),
    degradation: z.number().nullable(),
  })
  .openapi('ObservedMetric');

const metricLimit = z
  .object({
    degradationMax: z.number().openapi({ description: 'Largest `degradation` that passes.' }),
    boundBy: z
      .enum(['relative', 'absolute', 'progress'])
      .openapi({ description: 'The bound of the threshold that is the tightest here.' }),
    withoutProgress: z
      .number()
      .optional()
      .openapi({ description: 'What `degradationMax` would be without `progress`, where the threshold has it.' }),
    gain: z
      .object({
        run: z.string(),
        step: z.number().int(),
        value: z.number(),
        checkpoints: z
          .number()
          .int()
          .openapi({ description: 'Checkpoints from there to this one; 1 is the checkpoint before.' }),
        perCheckpoint: z.number().openapi({ description: "Above 0, in the metric's own unit." }),
      })
      .optional()
      .openapi({
        description:
          'What `progress` is a share of: the gain since this upload, divided by `checkpoints`. Absent ' +
          'where nothing was gained.',
      }),
  })
  .openapi('MetricLimit');

const asGoodAsSchema = z
  .object({
    metric: z.string().openapi({ description: 'The first metric of the eval set that a threshold bounds.' }),
    step: z.number().openapi({
      description: 'A fraction between uploads, on the line through their values; at most the own step.',
    }),
    beforeFirst: z
      .boolean()
      .openapi({ description: 'Even the first upload, of this `step`, is better: it is as good as some step before.' }),
    lagSteps: z.number().openapi({ description: 'How many steps it is behind its own; with `beforeFirst` at least.' }),
  })
  .openapi('AsGoodAs', {
    description:
      'The step of training at which the uploaded model was as good as what a download returns, by the ' +
      'measured metric of the uploads that it was trained through. Absent if that is not known.',
    example: { metric: 'loss', step: 1050, beforeFirst: false, lagSteps: 120 },
  });

export const resultSchema = z
  .object({
    fidelity: z.enum(fidelities).openapi({ description: '`exact` also when a lossy run found no config that passes.' }),
    config: quantizationConfigSchema.optional(),
    warnings: z.array(z.string()),
    baseline: metricValues.optional(),
    measured: metricValues.optional().openapi({ description: 'On the decoded bytes; null when not finite.' }),
    degradation: metricValues.optional().openapi({
      description:
        'How much worse each metric got: relative to the baseline, or in its own unit where thresholds ' +
        'of its kind are absolute.',
    }),
    limits: z.record(z.string(), metricLimit).optional().openapi({
      description: 'What the thresholds came to in this checkpoint, by bounded metric.',
    }),
    asGoodAs: asGoodAsSchema.optional(),
    observed: z
      .record(z.string(), observedMetric)
      .optional()
      .openapi({
        description:
          'Further metrics of the same outputs, by name, beside those of the eval set. Nothing bounds these; ' +
          'a warning says where one moved far.',
      }),
    understood: z
      .array(z.string())
      .optional()
      .openapi({
        description:
          'How the eval set and the checkpoint were read: rows and inputs, each metric with its shapes, ' +
          'which weights fill the graph.',
        example: [
          '"loss": cross-entropy of logits [48, 128, 1024] with labels [48, 128], 6,144 positions; 4.4903 ' +
            '(6.9315 for guessing).',
        ],
      }),
    measuredOn: measuredOnSchema.optional(),
    encodedOn: z
      .enum(encodedOnKinds)
      .optional()
      .openapi({
        description:
          'What compressed the checkpoint; the bytes are the same. `cuda`: a GPU, wherever there is work for one. ' +
          '`emulated`: the processor in its place, for tests. `mixed`: a device did a part and failed, or had no ' +
          'memory for the rest, and the processor did that. Absent in results from before it was kept.',
      }),
    kind: z.enum(packageKinds),
    ancestorRun: z.string().optional(),
    ancestorStep: z.number().int().optional().openapi({
      description: 'What it is a delta to, with `ancestorRun`; absent for a checkpoint of another repository.',
    }),
    chainLength: z.number().int().openapi({ description: 'Checkpoints on the way from a base, this one included.' }),
    rawBytes: z.number().int(),
    storedBytes: z.number().int().openapi({
      description:
        'Everything stored for the checkpoint; of a package that holds several, its share. Merging makes it less.',
    }),
    migration: z.number().optional().openapi({ description: 'Share of weights whose bin changed since the ancestor.' }),
    roundingError: z.number().optional().openapi({
      description: 'Root mean square of what rounding left of the weights of matrices, in quantization steps.',
    }),
    resumed: z
      .boolean()
      .optional()
      .openapi({
        description:
          'Training was found to have been resumed from what the ancestor rebuilds, so steps are kept fine ' +
          'enough for what was trained since.',
      }),
    trialCount: z.number().int(),
    seconds: z
      .record(z.string(), z.number())
      .openapi({ description: 'Seconds by phase.', example: { search: 4.2, encode: 0.8, verify: 0.3 } }),
  })
  .openapi('CheckpointResult');

/** A result in the API's form. */
export function renderResult({
  warnings,
  understood,
  observed,
  limits,
  config,
  // Of no use outside: it bounds what a restore reads.
  fullBytes: _fullBytes,
  ...result
}: CheckpointResult): z.infer<typeof resultSchema> {
  return {
    ...result,
    ...(config !== undefined && { config: renderConfig(config) }),
    warnings: [...warnings],
    ...(understood !== undefined && { understood: [...understood] }),
    ...(observed !== undefined && { observed: { ...observed } }),
    ...(limits !== undefined && { limits: { ...limits } }),
  };
}
