import { z } from '@hono/zod-openapi';
import type { ConfigField, MethodConfig, SearchOption } from '../../../checkpoint/options/methods/method-config.ts';
import {
  methodConfigs,
  quantizationMethods,
  type QuantizationConfig,
} from '../../../checkpoint/options/quantization-config.ts';
import {
  evalBatchesChoices,
  expectsWithinDefault,
  type CommonSearchOptions,
  type GivenSearchOptions,
  type SearchOptions,
} from '../../../checkpoint/options/search-options.ts';
import { axisSchema, describedSchema, valueSchema } from './field-values.ts';
import { quantizationConfigInput, quantizationConfigSchema } from './quantization-config.ts';

type Entry = MethodConfig<QuantizationConfig>;
type Named = readonly [name: string, option: SearchOption<unknown>, entry: Entry];

/** Largest `trialsMax` of a run. */
const trialsLimit = 4096;

const methodOptions: readonly Named[] = methodConfigs.flatMap((entry) =>
  Object.entries<SearchOption<unknown>>({ ...entry.searchOptions }).map(([name, option]): Named => [
    name,
    option,
    entry,
  ]),
);

/** The schema of what a method's option takes: one value, or those of an axis. */
function optionSchema([name, { field, axisOf }, { fields, method }]: Named): z.ZodType {
  if (field !== undefined) return valueSchema(field);
  const values =
    axisOf === undefined ? undefined : Object.entries<ConfigField>(fields).find(([key]) => key === axisOf)?.[1];
  if (values === undefined) throw new Error(`the option ${name} of ${method} is of no field`);
  return axisSchema(values);
}

/** The same with older spellings of a value, which requests may have. */
function inputSchema(named: Named): z.ZodType {
  const [, { description, olderSpelling }] = named;
  if (olderSpelling === undefined) return describedSchema(optionSchema(named), description);
  const { options } = optionSchema(named) as z.ZodEnum<Record<string, string>>;
  const { from, to } = olderSpelling;
  return describedSchema(
    z.enum([...options, from]),
    [description, `\`${from}\` is an older name of \`${to}\`.`].join(' '),
  );
}

const ofMethods: Record<string, z.ZodType> = Object.fromEntries(
  methodOptions.map((named) => {
    const [name, { optional, description }] = named;
    const schema = describedSchema(optionSchema(named), description);
    return [name, optional ? schema.optional() : schema];
  }),
);
const ofMethodsInput: Record<string, z.ZodType> = Object.fromEntries(
  methodOptions.map((named) => [named[0], inputSchema(named)]),
);

/** A request's options in today's spelling. */
function respelled(given: Readonly<Record<string, unknown>>): GivenSearchOptions {
  const older = methodOptions.flatMap(([name, { olderSpelling }]) =>
    olderSpelling !== undefined && given[name] === olderSpelling.from ? [[name, olderSpelling.to]] : [],
  );
  // The schema is made of the options' descriptions, so its output has their types.
  return { ...given, ...Object.fromEntries(older) } as GivenSearchOptions;
}

const weightErrorDescriptions = methodConfigs
  .flatMap(({ weightErrorDescription }) => weightErrorDescription ?? [])
  .join(' ');

const common = {
  method: z.enum(quantizationMethods),
  trialsMax: z.number().int().min(1).max(trialsLimit).openapi({ description: 'Most trials of one checkpoint.' }),
  evalBatches: z.enum(evalBatchesChoices).openapi({
    description:
      'With `halves` thresholds must hold on the batches of the eval set with an even number, be confirmed ' +
      'on those with an odd one, and hold on the whole: ' +
      'the search cannot fit one half. The set needs at least two batches (`batchRows`), and a quarter of ' +
      'its rows in each half.',
  }),
  weightErrorMax: z
    .number()
    .positive()
    .max(1)
    .openapi({
      description:
        'Largest root mean square error of any quantized tensor, in standard deviations of its weights. A ' +
        'tensor that came back as its mean would be at 1. ' +
        `${weightErrorDescriptions} With null the metrics alone decide.`,
    }),
  standardErrors: z
    .number()
    .min(0)
    .max(4)
    .openapi({
      description:
        'How many standard errors, over the examples of the eval set, a degradation stays inside its ' +
        'threshold by. With 0 the threshold holds for these examples alone; ' +
        'with 1 for other examples of the same distribution too, in five of six cases.',
    }),
  divergenceMax: z
    .number()
    .positive()
    .max(1000)
    .openapi({
      description:
        "How far the outputs of the rebuilt model may be from the uploaded model's: the divergence of " +
        'Kullback and Leibler for classes, the mean squared difference for real values, ' +
        'in multiples of what the thresholds let the loss grow by. With null the metrics alone decide.',
    }),
  expectsWithin: z
    .number()
    .min(0)
    .max(1)
    .openapi({
      description:
        'How far what Firn measures of an uploaded checkpoint may be from what the training job measured ' +
        '(`expects` of the checkpoint), as a share of that; beyond it the checkpoint is stored ' +
        `exact, with both figures in the reason. ${expectsWithinDefault} by default.`,
    }),
} satisfies { readonly [Option in Exclude<keyof CommonSearchOptions, 'fixedConfig'>]-?: z.ZodType };

const description = [
  'How the checkpoints of a run are searched.',
  ...methodConfigs.flatMap(({ searchDescription }) => searchDescription ?? []),
].join(' ');

export const searchOptionsSchema = z
  .object({
    ...common,
    ...ofMethods,
    weightErrorMax: common.weightErrorMax.optional(),
    standardErrors: common.standardErrors.optional(),
    divergenceMax: common.divergenceMax.optional(),
    expectsWithin: common.expectsWithin.optional(),
    fixedConfig: quantizationConfigSchema
      .optional()
      .openapi({ description: 'Used for every checkpoint instead of a search.' }),
  })
  .openapi('SearchOptions', { description }) as unknown as z.ZodType<SearchOptions>;

export const searchOptionsInput = z
  .strictObject({
    ...common,
    ...ofMethodsInput,
    weightErrorMax: common.weightErrorMax.nullable(),
    divergenceMax: common.divergenceMax.nullable(),
  })
  .partial()
  .extend({ fixedConfig: quantizationConfigInput.optional() })
  .openapi('SearchOptionsInput', { description: `${description} What is not given keeps its default.` })
  .transform((given): GivenSearchOptions => respelled(given));
