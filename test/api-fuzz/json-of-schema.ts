import fc from 'fast-check';
import type { OpenApi, Schema } from '../api-changes/openapi-types.ts';
import { flatten, resolve } from '../api-changes/resolve-schema.ts';

/** Schemas inside one another; deeper ones are left out where that is allowed. */
const depthMax = 8;
/** Entries of an array or a dictionary, however many the document allows. */
const entriesMax = 3;
/** Characters of a text that the document does not bound. */
const textLengthMax = 40;

/** Values of fields by their names, where values of the schema alone would never meet what is there. */
export type FieldValues = Readonly<Record<string, readonly unknown[]>>;

export interface JsonOfSchema {
  readonly document: OpenApi;
  readonly fields: FieldValues;
}

/** Values that a schema of the document accepts, of bounded size. Fields with known names mostly have known values. */
export function jsonOf(ctx: JsonOfSchema, given: Schema, depth = 0): fc.Arbitrary<unknown> {
  const schema = given.allOf === undefined ? resolve(ctx.document, given) : flatten(ctx.document, given);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => jsonOf(ctx, choice, depth + 1)));
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['string']);
  return fc.oneof(...types.map((type) => ofType(ctx, schema, { type, depth })));
}

function ofType(
  ctx: JsonOfSchema,
  schema: Schema,
  { type, depth }: { readonly type: string; readonly depth: number },
): fc.Arbitrary<unknown> {
  if (type === 'object') return objectOf(ctx, schema, depth);
  if (type === 'array') {
    const minLength = Number(schema['minItems'] ?? 0);
    const maxLength = Math.max(minLength, Math.min(Number(schema['maxItems'] ?? entriesMax), entriesMax));
    return fc.array(jsonOf(ctx, schema.items ?? {}, depth + 1), { minLength, maxLength });
  }
  if (type === 'integer') return fc.integer(integerRange(schema));
  if (type === 'number') return numberOf(schema);
  if (type === 'boolean') return fc.boolean();
  return type === 'null' ? fc.constant(null) : textOf(schema);
}

function objectOf(ctx: JsonOfSchema, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const shown = Object.entries(properties).filter(([name]) => depth < depthMax || required.includes(name));
  const made = shown.map(([name, field]) => [name, fieldOf(ctx, { name, field, depth })] as const);
  const whole = fc.record(Object.fromEntries(made), { requiredKeys: [...required] });
  // Fields that contradict each other are common; the few that must be there seldom do.
  const least = fc.record(Object.fromEntries(made.filter(([name]) => required.includes(name))));
  const fields = depth === 0 ? fc.oneof(least, whole) : whole;
  if (typeof additionalProperties !== 'object' || depth >= depthMax) return fields;
  const keys = fc.constantFrom(...((ctx.fields['*'] ?? ['key']) as readonly string[]));
  const others = fc.dictionary(keys, jsonOf(ctx, additionalProperties, depth + 1), { maxKeys: entriesMax });
  return fc.tuple(others, fields).map(([some, own]) => ({ ...some, ...own }));
}

interface Field {
  readonly name: string;
  readonly field: Schema;
  readonly depth: number;
}
function fieldOf(ctx: JsonOfSchema, { name, field, depth }: Field): fc.Arbitrary<unknown> {
  const any = jsonOf(ctx, field, depth + 1);
  const values = ctx.fields[name];
  const isPlain = resolve(ctx.document, field).properties === undefined;
  return values === undefined || !isPlain
    ? any
    : fc.oneof({ arbitrary: fc.constantFrom(...values), weight: 9 }, { arbitrary: any, weight: 1 });
}

/** Inclusive; what the document leaves open is that of exact integers. */
function integerRange(schema: Schema): { min: number; max: number } {
  const min = Math.max(Number(schema['minimum'] ?? -1000), Number(schema['exclusiveMinimum'] ?? -Infinity) + 1);
  const max = Math.min(
    Number(schema['maximum'] ?? Number.MAX_SAFE_INTEGER),
    Number(schema['exclusiveMaximum'] ?? Infinity) - 1,
  );
  return { min, max };
}

function numberOf(schema: Schema): fc.Arbitrary<number> {
  const exclusiveMin = schema['exclusiveMinimum'] as number | undefined;
  const exclusiveMax = schema['exclusiveMaximum'] as number | undefined;
  return fc.double({
    min: exclusiveMin ?? Number(schema['minimum'] ?? -1e9),
    max: exclusiveMax ?? Number(schema['maximum'] ?? 1e9),
    minExcluded: exclusiveMin !== undefined,
    maxExcluded: exclusiveMax !== undefined,
    noNaN: true,
  });
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  if (schema.format === 'date-time')
    return fc
      .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  const minLength = Number(schema['minLength'] ?? 0);
  const maxLength = Math.max(minLength, Math.min(Number(schema['maxLength'] ?? textLengthMax), textLengthMax));
  const unit = fc.constantFrom('grapheme', 'grapheme-ascii', 'binary') as fc.Arbitrary<'grapheme-ascii'>;
  return unit.chain((kind) => fc.string({ minLength, maxLength, unit: kind }));
}
