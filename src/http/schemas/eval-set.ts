import { z } from '@hono/zod-openapi';
import { evalSetStates, type EvalSet } from '../../catalog/contract/eval-set-records.ts';
import type { EvalSetReport } from '../../compress/eval-set/examine-eval-set.ts';
import {
  classAxes,
  constantPatternsMax,
  constantsMax,
  labelForms,
  metricCountMax,
  topKDefault,
} from '../../checkpoint/quality/eval-set-spec.ts';
import { firnErrorCodes } from '../../checkpoint/firn-error.ts';
import { metricKindTable } from '../../checkpoint/quality/metric-kind-table.ts';
import { metricKinds, needsLabels } from '../../checkpoint/quality/metric-kind.ts';
import { nameSchema } from './parameters.ts';
import { evalSetExample, evalSetReportExample } from './examples/eval-set-examples.ts';

/** Longest name of a graph input, output or tensor, in characters. */
const graphNameLengthMax = 1024;
/** Most rows in one batch for the graph. */
const batchRowsMax = 65_536;
/** Largest `k` of `top-k-accuracy`. */
const topKMax = 1000;

const graphName = z.string().min(1).max(graphNameLengthMax);

const withoutLabels = metricKinds
  .filter((kind) => !needsLabels(kind))
  .map((kind) => `\`${kind}\``)
  .join(', ');

const metricSchema = z.strictObject({
  name: nameSchema.openapi({ example: 'loss', description: 'Unique in the set; thresholds refer to it.' }),
  kind: z
    .enum(metricKinds)
    .openapi({ description: `What is measured, and of what. Rules of each kind:\n\n${metricKindTable()}` }),
  output: graphName.openapi({ description: 'Graph output.', example: 'logits' }),
  labels: graphName.optional().openapi({
    description: `Tensor of the batches with the labels. Not needed by ${withoutLabels}.`,
    example: 'labels',
  }),
  classAxis: z
    .enum(classAxes)
    .optional()
    .openapi({
      description:
        'Where the classes of the output are: on its last axis, or on its second (`[N, C, H, W]`, ' +
        'segmentation). Found from the shapes of output and labels where they leave no doubt; where they do, ' +
        'it is asked for.',
    }),
  k: z
    .number()
    .int()
    .min(1)
    .max(topKMax)
    .optional()
    .openapi({
      description:
        'Of the kind `top-k-accuracy` alone: how many of the largest logits count; ' + `${topKDefault} by default.`,
    }),
});

const namePatterns = (whyNotAll: string) =>
  z
    .array(graphName)
    .max(constantsMax)
    .refine(
      (names) => names.filter((name) => name.includes('*')).length <= constantPatternsMax,
      `must have at most ${constantPatternsMax} patterns`,
    )
    .refine((names) => names.every((name) => /[^*]/.test(name)), whyNotAll);

export const evalSetSpecSchema = z
  .strictObject({
    inputs: z
      .record(graphName, graphName)
      .openapi({ description: 'Graph input to tensor of the batches.', example: { input_ids: 'input_ids' } }),
    metrics: z
      .array(metricSchema)
      .min(1)
      .max(metricCountMax)
      .refine(
        (metrics) => new Set(metrics.map((metric) => metric.name)).size === metrics.length,
        'must have different names',
      )
      .refine(
        (metrics) => metrics.every(({ kind, labels }) => labels !== undefined || !needsLabels(kind)),
        'must each name "labels", a tensor of the batches; only the kinds ' +
          `${metricKinds.filter((kind) => !needsLabels(kind)).join(', ')} need none`,
      )
      .refine(
        (metrics) => metrics.every(({ kind, k }) => k === undefined || kind === 'top-k-accuracy'),
        'must give "k" with the kind top-k-accuracy alone',
      ),
    labels: z
      .enum(labelForms)
      .optional()
      .openapi({
        description:
          'What labels of classes are: the index of a class for each position, or a probability for each ' +
          'class (one-hot labels are these), in the shape of the logits. Both are softmax cross-entropy. ' +
          'Without it they are indices, ' +
          'and labels in the shape of the logits are refused.',
      }),
    ignoreLabel: z
      .number()
      .int()
      .optional()
      .openapi({ description: 'Positions with this label count in no metric.', example: -100 }),
    batchRows: z
      .number()
      .int()
      .min(1)
      .max(batchRowsMax)
      .optional()
      .openapi({ description: 'Rows fed at once; 16 by default.' }),
    tensorMap: z
      .record(graphName, z.strictObject({ tensor: graphName, transpose: z.boolean().optional() }))
      .optional()
      .openapi({
        description: 'Graph initializer to checkpoint tensor, where names differ.',
        example: { 'onnx::MatMul_12': { tensor: 'fc.weight', transpose: true } },
      }),
    constants: namePatterns('must name constants: `*` alone would let every missing weight pass')
      .optional()
      .openapi({
        description:
          'Floating-point constants of the graph that are no weights of the checkpoint, by name; `*` stands ' +
          'for any characters. Any other that no tensor fills fails the checkpoint, so that numbers of the ' +
          'graph are never mistaken for ' +
          'those of the checkpoint.',
        example: ['rotary.inv_freq', '*.causal_mask'],
      }),
    unused: namePatterns('must name tensors: `*` alone would leave nothing to measure')
      .optional()
      .openapi({
        description:
          'Tensors of the checkpoint that the graph leaves out on purpose, by name; `*` stands for any ' +
          'characters. They fill nothing, and nothing is refused or doubted because nothing uses them. Of ' +
          'two sets of weights that would ' +
          'fill the graph it names the one that is not measured.',
        example: ['ema_model.*'],
      }),
    allowDoubted: z
      .boolean()
      .optional()
      .openapi({
        description:
          'Takes figures as they are that are worse than guessing, or whose labels look shifted by one. ' +
          'Without it a checkpoint with such a figure is stored exact, unless the training job reported the ' +
          'same figure (`expects`).',
      }),
  })
  .openapi('EvalSetSpec');

export const evalSetInput = z
  .strictObject({
    name: nameSchema.openapi({ example: 'held-out' }),
    spec: evalSetSpecSchema,
  })
  .openapi('EvalSetInput', { example: { name: evalSetExample.name, spec: evalSetExample.spec } });

const partSchema = z.object({ sizeBytes: z.number().int(), sha256: z.string() });

export const evalSetSchema = z
  .object({
    name: z.string(),
    state: z.enum(evalSetStates),
    spec: evalSetSpecSchema,
    graph: partSchema.optional(),
    batches: partSchema.optional(),
    error: z.object({ code: z.enum(firnErrorCodes), message: z.string() }).optional(),
    createdAt: z.iso.datetime(),
  })
  .openapi('EvalSet', { example: evalSetExample });

export const evalSetReport = z
  .object({
    values: z.record(z.string(), z.number().nullable()).openapi({
      description: 'Each metric of the checkpoint as uploaded; null when not finite.',
      example: { loss: 4.4903 },
    }),
    understood: z.array(z.string()).openapi({
      description: 'How graph, batches, labels and weights were read.',
      example: [
        '"loss": cross-entropy of logits [48, 128, 1024] with labels [48, 128], 6,144 positions; 4.4903 ' +
          '(6.9315 for guessing).',
      ],
    }),
    warnings: z.array(z.string()).openapi({
      description:
        'What looks like a mistake: a loss worse than guessing, labels shifted by one, inputs that are not finite.',
    }),
    secondsPerEvaluation: z
      .number()
      .openapi({ description: 'What one evaluation took; a checkpoint takes about five.' }),
  })
  .openapi('EvalSetReport', { example: evalSetReportExample });

export const checkedEvalSet = evalSetSchema
  .extend({ check: evalSetReport.optional() })
  .openapi('CheckedEvalSet', { example: { ...evalSetExample, check: evalSetReportExample } });

export function renderReport({
  values,
  understood,
  warnings,
  secondsPerEvaluation,
}: EvalSetReport): z.infer<typeof evalSetReport> {
  return { values: { ...values }, understood: [...understood], warnings: [...warnings], secondsPerEvaluation };
}

export const evalSetList = z
  .object({ items: z.array(evalSetSchema), next: z.string().optional() })
  .openapi('EvalSetList', { example: { items: [evalSetExample] } });

export function renderEvalSet(evalSet: EvalSet) {
  const {
    name,
    state,
    spec,
    graphSha256,
    graphBytes,
    batchesSha256,
    batchesBytes,
    errorCode,
    errorMessage,
    createdAt,
  } = evalSet;
  return {
    name,
    state,
    spec: spec as z.infer<typeof evalSetSpecSchema>,
    ...(graphSha256 !== undefined &&
      graphBytes !== undefined && { graph: { sizeBytes: graphBytes, sha256: graphSha256 } }),
    ...(batchesSha256 !== undefined &&
      batchesBytes !== undefined && { batches: { sizeBytes: batchesBytes, sha256: batchesSha256 } }),
    ...(errorCode !== undefined && { error: { code: errorCode, message: errorMessage ?? '' } }),
    createdAt: createdAt.toISOString(),
  } satisfies z.infer<typeof evalSetSchema>;
}
