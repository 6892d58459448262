import { z } from '@hono/zod-openapi';
import type { ConfigField, MethodConfig } from '../../../checkpoint/options/methods/method-config.ts';
import { methodConfigs, type QuantizationConfig } from '../../../checkpoint/options/quantization-config.ts';
import { describedSchema, valueSchema } from './field-values.ts';

type Entry = MethodConfig<QuantizationConfig>;
type Field = ConfigField & { readonly default?: string };

function fieldsOf({ fields }: Entry): [string, Field][] {
  return Object.entries<Field>(fields);
}

/** Schemas of the fields that are derived from a config: returned, and ignored in input. */
function derivedSchemas({ derived = {}, example }: Entry): Record<string, z.ZodType> {
  const schemas = Object.entries(derived).map(([name, { description, of }]) => [
    name,
    z
      .number()
      .optional()
      .openapi({ description, example: of(example) }),
  ]);
  return Object.fromEntries(schemas) as Record<string, z.ZodType>;
}

function storedSchema(entry: Entry) {
  const fields = fieldsOf(entry).map(([name, field]) => {
    const value = valueSchema(field);
    return [name, describedSchema(field.optional ? value.optional() : value, field.description)];
  });
  return z
    .object({
      method: z.literal(entry.method),
      ...(Object.fromEntries(fields) as Record<string, z.ZodType>),
      ...derivedSchemas(entry),
    })
    .openapi(entry.schemaName, { example: entry.example });
}

/**
 * A config in a client's input. {@link completed} fills in the defaults, not the schema, because generated clients
 * treat a key with a default as required.
 */
function inputSchema(entry: Entry) {
  const { method, unnamed } = entry;
  const fields = fieldsOf(entry).map(([name, field]) => {
    const words =
      field.default === undefined
        ? field.description
        : [field.description, `\`${field.default}\` by default.`].filter(Boolean).join(' ');
    const value = valueSchema(field);
    return [name, describedSchema(field.optional || field.default !== undefined ? value.optional() : value, words)];
  });
  const named = z.literal(method);
  return z
    .strictObject({
      method: unnamed === undefined ? named : named.optional().openapi({ description: unnamed }),
      ...(Object.fromEntries(fields) as Record<string, z.ZodType>),
      ...derivedSchemas(entry),
    })
    .openapi(`${entry.schemaName}Input`, { example: entry.example });
}

/** A client's input, with the method and the defaults that it left out. */
function completed(given: Readonly<Record<string, unknown>>): QuantizationConfig {
  const entry = methodConfigs.find(({ method, unnamed }) =>
    given['method'] === undefined ? unnamed !== undefined : method === given['method'],
  )!;
  const own = Object.entries(given).filter(([name]) => entry.derived?.[name] === undefined);
  const defaults = fieldsOf(entry).flatMap(([name, field]) =>
    field.default === undefined || given[name] !== undefined ? [] : [[name, field.default]],
  );
  // The schemas are made of the entries, so their output is a config.
  return { ...Object.fromEntries(own), method: entry.method, ...Object.fromEntries(defaults) } as QuantizationConfig;
}

type Several<T> = readonly [T, ...T[]];

const stored = methodConfigs.map(storedSchema) as unknown as Several<ReturnType<typeof storedSchema>>;
export const quantizationConfigSchema = z
  .discriminatedUnion('method', [...stored] as [(typeof stored)[0]])
  .openapi('QuantizationConfig') as unknown as z.ZodType<QuantizationConfig>;

const inputs = methodConfigs.map(inputSchema) as unknown as Several<ReturnType<typeof inputSchema>>;
export const quantizationConfigInput = z
  .union([...inputs])
  .openapi('QuantizationConfigInput')
  .transform((given): QuantizationConfig => completed(given));

/** A config in the API's answers: with derived fields, such as the size of a quantization step beside its index. */
export function renderConfig(config: QuantizationConfig): QuantizationConfig {
  const { derived = {} } = methodConfigs.find(({ method }) => method === config.method)! as Entry;
  return { ...config, ...Object.fromEntries(Object.entries(derived).map(([name, { of }]) => [name, of(config)])) };
}
