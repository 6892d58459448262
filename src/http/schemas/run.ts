import { z } from '@hono/zod-openapi';
import { checkpointStates, type CheckpointCounts } from '../../catalog/contract/checkpoint-records.ts';
import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { defaultThreshold } from '../../checkpoint/quality/quality.ts';
import { deviceWishes } from '../../checkpoint/options/device-wish.ts';
import { fidelities } from '../../checkpoint/role.ts';
import { defaultStateOptions, masterFidelities, stateFidelities } from '../../checkpoint/options/state-options.ts';
import { thresholdsInWords } from '../../checkpoint/quality/threshold-words.ts';
import { finalQuality } from './quantization/final-quality.ts';
import { layerTypesSchema } from './quantization/layer-types.ts';
import { nameSchema, runNameSchema, stepSchema } from './parameters.ts';
import { searchOptionsInput, searchOptionsSchema } from './quantization/search-options.ts';
import { allowLargeSchema, evaluationChange, thresholdsInput, thresholdsSchema } from './quantization/thresholds.ts';
import { runExample } from './examples/run-example.ts';

/**
 * Most names of one role that a run may list, and most characters of one: each is compared with every tensor's name.
 */
const stateNamesMax = 64;
const stateName = z.string().min(1).max(256);

const stateOptions = {
  firstMoment: z.enum(stateFidelities),
  secondMoment: z.enum(stateFidelities),
  momentum: z.enum(stateFidelities),
  master: z.enum(masterFidelities).optional(),
  names: z
    .strictObject({
      firstMoment: z.array(stateName).max(stateNamesMax).optional(),
      secondMoment: z.array(stateName).max(stateNamesMax).optional(),
      momentum: z.array(stateName).max(stateNamesMax).optional(),
      master: z.array(stateName).max(stateNamesMax).optional(),
    })
    .optional()
    .openapi({
      description:
        'What marks tensors of a role besides the usual words, before which it decides. An entry is a part ' +
        'of dotted names (`mu`), a whole name (`opt.first.layer1.weight`), or a pattern of whole names, in ' +
        'which `*` is any characters ' +
        '(`m_*`, `exp_avg/*`). A first moment belongs to the second moment whose name is the same without ' +
        'the part; of whole names and patterns, to that of the entry at the same place in the list of ' +
        '`secondMoment`, each `*` standing for the same. ' +
        'The usual words are `exp_avg`, `exp_avg_sq`, `momentum_buffer`, `master_param`, `main_param`, ' +
        '`fp32_params` and the like, anywhere in a dotted name, and after these `m`, `v`, `momentum`, ' +
        '`master`, `fp32` as its first or last part. ' +
        'Where a name says two things at once, the tensor stays exact, and a warning says so.',
      example: { firstMoment: ['mu', 'm_*'], secondMoment: ['nu', 'v_*'] },
    }),
};
const stateDescription =
  'How the tensors of optimizer files are kept: `exact` byte for byte; `bounded` so that no element of the ' +
  'next update of Adam moves by more than a tenth of the learning rate and a fifth of itself (before the ' +
  'correction of bias, which in the first ten steps of a run can make more of it; at an epsilon of 1e-8 or ' +
  'more, second moments of at most 1e38), and momentum by no more than ' +
  'a fifth of the root mean square of its row or so; `bitsnap` by the clusters of that paper, twelve bits an ' +
  'element. Tensors that are no moments, of one number, or not F32, stay exact, and so does a first moment ' +
  'that is to be `bounded` without its ' +
  'second moments as F32 in the same file and shape; warnings say of which, and of roles that no tensor has. ' +
  'Independent of `fidelity`, which is of the weights. ' +
  '`master` is of F32 copies of the weights, which training in 16 bits keeps: ' +
  '`exact` (the default), or `weights`: they come back as the weights of the model do, and take no bytes; ' +
  'where the uploaded weights are not rounded from them they stay exact, and a warning says so.';

const stateOptionsSchema = z.object(stateOptions).openapi('StateOptions', { description: stateDescription });
const stateOptionsInput = z
  .strictObject(stateOptions)
  .partial()
  .openapi('StateOptionsInput', {
    description: `${stateDescription} What is not given is exact.`,
    example: { firstMoment: 'bounded', secondMoment: 'bounded' },
  });

const deviceWish = z.enum(deviceWishes).openapi('DeviceWish', {
  description:
    'What the checkpoints would like to be worked on. They are measured (the upload, each trial, and what a download ' +
    'returns) with `preferred` (the default) on a GPU; if no worker has one, or none is free in time, on the ' +
    'processor; with `required` on a GPU, however long it takes; with `none` on the processor. One checkpoint is ' +
    'never measured on both. `measuredOn` of its result says which it was. They are compressed by the device of the ' +
    'worker that took them, if it has one (`encodedOn`); with `none` by the processor. The bytes are the same. A ' +
    'change holds for checkpoints that wait, too.',
  example: 'preferred',
});

const forkSchema = z.strictObject({ run: runNameSchema, step: stepSchema });
const baseModelSchema = z
  .strictObject({ namespace: nameSchema, name: nameSchema, run: runNameSchema.optional(), step: stepSchema.optional() })
  .openapi('BaseModel', {
    description:
      'A checkpoint that a fine-tune begins from, in this repository or another that the token may read. The ' +
      'first checkpoint of the run is stored against it, so it must have the same tensors. `run` is the one that ' +
      'the main branch shows, if it is not given, and `step` its newest that is ready. Nothing else is inherited.',
    example: { namespace: 'acme', name: 'lm', run: 'pretraining', step: 90_000 },
  });

export const runInput = z
  .strictObject({
    name: runNameSchema,
    fidelity: z
      .enum(fidelities)
      .optional()
      .openapi({ description: '`lossy` when an eval set or a fixed config is given, else `exact`.' }),
    evalSet: nameSchema
      .optional()
      .openapi({ description: 'Name of a ready eval set of the repository.', example: 'held-out' }),
    thresholds: thresholdsInput.optional(),
    allowLarge: allowLargeSchema,
    search: searchOptionsInput.optional(),
    state: stateOptionsInput.optional(),
    device: deviceWish.optional(),
    layerTypes: layerTypesSchema.optional().openapi({
      description: 'Tensor to layer type, overriding what graph, shapes and names say.',
      example: { 'head.weight': 'embedding' },
    }),
    forkFrom: forkSchema
      .optional()
      .openapi({ description: 'Start from this checkpoint; whatever is not given is inherited.' }),
    baseModel: baseModelSchema.optional(),
  })
  .refine(({ forkFrom, baseModel }) => forkFrom === undefined || baseModel === undefined, {
    message: 'may name a fork point or a base model, not both',
  })
  .openapi('RunInput', { example: { name: 'first', evalSet: 'held-out', thresholds: { loss: defaultThreshold } } });

export const runChange = z
  .strictObject({
    ...evaluationChange,
    device: deviceWish.optional(),
    final: z
      .union([z.boolean(), finalQuality])
      .optional()
      .openapi({
        description:
          'With `true` the run is closed: it takes no new steps, its old deltas are merged without waiting ' +
          'for more, and the upload of its last checkpoint is released, which is kept for training to go ' +
          'on. ' +
          'With an object it is closed, and its last checkpoint is kept so, which has to be said before ' +
          'that is compressed, unless it has it already. With `false` it is opened again.',
      }),
  })
  .refine(
    ({ evalSet, thresholds, final, device }) =>
      [evalSet, thresholds, final, device].some((given) => given !== undefined),
    'must name an eval set, thresholds, final, or device',
  )
  .openapi('RunChange', { example: { evalSet: 'held-out-2' } });

export const runSchema = z
  .object({
    name: z.string(),
    fidelity: z.enum(fidelities),
    evalSet: z.string().optional(),
    thresholds: thresholdsSchema,
    thresholdsInWords: z.array(z.string()).openapi({
      description: 'What each threshold lets a checkpoint lose.',
      example: ["loss may grow by at most 0.5 % of the uploaded checkpoint's"],
    }),
    search: searchOptionsSchema,
    state: stateOptionsSchema,
    device: deviceWish,
    layerTypes: layerTypesSchema,
    seed: z.string().openapi({ description: 'Seed of every codebook of the run, in decimal.' }),
    forkedFrom: z.object({ run: z.string(), step: z.number().int() }).optional(),
    checkpointCounts: z
      .record(z.enum(checkpointStates), z.number().int())
      .openapi({ description: 'How many checkpoints of it are in each state.' }),
    final: z.boolean().openapi({ description: 'Whether the run is closed: it takes no new steps.' }),
    closedAt: z.iso.datetime().optional(),
    createdAt: z.iso.datetime(),
  })
  .openapi('Run', { example: runExample });

export const runList = z
  .object({ items: z.array(runSchema), next: z.string().optional() })
  .openapi('RunList', { example: { items: [runExample] } });

const noCheckpoints = Object.fromEntries(checkpointStates.map((state) => [state, 0])) as CheckpointCounts;

/** What a run is shown with: names of the records that it refers to by id, and counts. */
export interface RunNames {
  readonly evalSet: Pick<EvalSet, 'name' | 'spec'> | undefined;
  readonly forkedFrom: { readonly run: string; readonly step: number } | undefined;
  /** Undefined without checkpoints. */
  readonly counts: CheckpointCounts | undefined;
}

export function renderRun(run: Run, { evalSet, forkedFrom, counts }: RunNames) {
  return {
    name: run.name,
    fidelity: run.fidelity,
    thresholds: { ...run.thresholds },
    thresholdsInWords: evalSet === undefined ? [] : thresholdsInWords(evalSet.spec, run.thresholds),
    search: run.search,
    state: (run.state ?? defaultStateOptions) as z.infer<typeof stateOptionsSchema>,
    device: run.device,
    layerTypes: { ...run.layerTypes },
    seed: run.seed,
    checkpointCounts: { ...(counts ?? noCheckpoints) },
    final: run.closedAt !== undefined,
    ...(run.closedAt !== undefined && { closedAt: run.closedAt.toISOString() }),
    createdAt: run.createdAt.toISOString(),
    ...(evalSet !== undefined && { evalSet: evalSet.name }),
    ...(forkedFrom !== undefined && { forkedFrom }),
  } satisfies z.infer<typeof runSchema>;
}
