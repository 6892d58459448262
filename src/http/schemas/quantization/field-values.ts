import { z } from '@hono/zod-openapi';
import {
  axisLengthMax,
  type ConfigField,
  type SearchOptionField,
} from '../../../checkpoint/options/methods/method-config.ts';

/** The schema of a field's values. */
export function valueSchema(field: SearchOptionField): z.ZodType {
  switch (field.kind) {
    case 'integer':
      return z.number().int().min(field.min).max(field.max);
    case 'number':
      return 'max' in field ? z.number().min(field.min).max(field.max) : z.number().min(field.min).lt(field.below);
    case 'choice':
      return z.enum(field.values);
    case 'flag':
      return z.boolean();
  }
}

/** The schema of an axis of a search: values of a field, each once. */
export function axisSchema(field: ConfigField): z.ZodType {
  return z
    .array(valueSchema(field))
    .min(1)
    .max(axisLengthMax)
    .refine((values) => new Set(values).size === values.length, 'must not repeat a value');
}

/** A schema with its description in the API, if it has one. */
export function describedSchema(schema: z.ZodType, description: string | undefined): z.ZodType {
  return description === undefined ? schema : schema.openapi({ description });
}
