import { z } from '@hono/zod-openapi';
import type { Trial } from '../../../catalog/contract/trial-records.ts';
import { trialExample } from '../examples/checkpoint-examples.ts';
import { quantizationConfigSchema, renderConfig } from '../quantization/quantization-config.ts';
import { measuredOnSchema, metricValues } from './checkpoint-result.ts';

export const trialSchema = z
  .object({
    number: z
      .number()
      .int()
      .openapi({ description: 'Order of evaluation over all searches of the checkpoint, from 1, as people count.' }),
    ordinal: z
      .number()
      .int()
      .openapi({ description: '`number` less one, for programs that read it.', deprecated: true }),
    search: z.number().int().openapi({
      description: 'Which search of the checkpoint, from 1: it is searched again when another ancestor may cost less.',
    }),
    config: quantizationConfigSchema,
    estimatedBytes: z.number(),
    measuredOn: measuredOnSchema,
    metrics: metricValues,
    halves: z
      .array(metricValues)
      .optional()
      .openapi({ description: 'Metrics of each half of the eval set, where both must pass.' }),
    degradation: metricValues,
    standardError: metricValues.optional().openapi({
      description: 'Standard error of each degradation over examples, where the run asks for it.',
    }),
    observed: metricValues.optional().openapi({
      description: "Divergences from the uploaded model's outputs that the run bounds, by metric.",
    }),
    passed: z.boolean(),
    seconds: z.number(),
  })
  .openapi('Trial', { example: trialExample });

export const trialList = z
  .object({ items: z.array(trialSchema) })
  .openapi('TrialList', { example: { items: [trialExample] } });

export function renderTrial(trial: Trial) {
  const {
    ordinal,
    search,
    config,
    estimatedBytes,
    device,
    metrics,
    halves,
    degradation,
    standardError,
    observed,
    passed,
    seconds,
  } = trial;
  return {
    number: ordinal + 1,
    ordinal,
    search,
    config: renderConfig(config),
    estimatedBytes,
    measuredOn: device,
    metrics: { ...metrics },
    ...(halves !== undefined && { halves: halves.map((half) => ({ ...half })) }),
    degradation: { ...degradation },
    ...(standardError !== undefined && { standardError: { ...standardError } }),
    ...(observed !== undefined && { observed: { ...observed } }),
    passed,
    seconds,
  } satisfies z.infer<typeof trialSchema>;
}
