import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenApi, Operation, Schema } from '../api-changes/openapi-types.ts';
import { flatten } from '../api-changes/resolve-schema.ts';

/** An answer, read to its end, or as far as it is read of a stream of events. */
export interface SeenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** What the document says of requests and answers, ready to be checked. */
export interface ApiRules {
  /** What is wrong with the answer of an operation, in sentences; none if it is as documented. */
  answerFaults(operation: Operation, method: string, answer: SeenAnswer): string[];
  /** The same of an answer whose request belongs to no operation: it must be a problem. */
  strayFaults(answer: SeenAnswer): string[];
  /** Whether a schema accepts a value; fields that it does not name are refused where it says so. */
  accepts(schema: Schema, value: unknown): boolean;
}

/** Statuses that only a broken server answers. 503 and 507 say that it is full, which a small test never makes it. */
const serverFailure = 500;

/**
 * The id that references lead to, of schemas in which unnamed fields are refused, and of those as the document has
 * them.
 */
const idOf = (strict: boolean): string => (strict ? 'firn:strict' : 'firn:plain');

export function apiRules(document: OpenApi): ApiRules {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true, validateFormats: true }));
  const schemas = (document.components?.['schemas'] ?? {}) as Readonly<Record<string, Schema>>;
  for (const strict of [true, false])
    ajv.addSchema({
      $id: idOf(strict),
      $defs: Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, readable(document, one, strict)])),
    });
  const compiled = { strict: new Map<Schema, ValidateFunction>(), plain: new Map<Schema, ValidateFunction>() };
  function validatorOf(schema: Schema, strict: boolean): ValidateFunction {
    const known = compiled[strict ? 'strict' : 'plain'];
    const validate = known.get(schema) ?? ajv.compile(readable(document, schema, strict));
    known.set(schema, validate);
    return validate;
  }
  const problem: Schema = { $ref: '#/components/schemas/Problem' };

  function bodyFaults(schema: Schema, value: unknown): string[] {
    const validate = validatorOf(schema, true);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `the body's ${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    );
  }

  /** Rules that hold for every answer. */
  function commonFaults({ status, headers, bytes }: SeenAnswer): string[] {
    const faults = status >= serverFailure ? [`answered ${status}: ${bytes.toString().slice(0, 300)}`] : [];
    if (!headers.has('x-request-id')) faults.push('has no X-Request-Id');
    return faults;
  }

  function problemFaults(answer: SeenAnswer): string[] {
    if (mediaTypeOf(answer) !== 'application/problem+json') return [`a problem is ${mediaTypeOf(answer)}`];
    const value = JSON.parse(answer.bytes.toString()) as { status?: number; code?: string; type?: string };
    const faults = bodyFaults(problem, value);
    if (value.status !== answer.status) faults.push(`the status of the problem is ${value.status}`);
    if (value.type !== `/problems/${value.code}`) faults.push(`the type of ${value.code} is ${value.type}`);
    return faults;
  }

  return {
    answerFaults(operation, method, answer) {
      const faults = commonFaults(answer);
      const response = operation.responses[String(answer.status)];
      if (response === undefined) return [...faults, `status ${answer.status} is not documented`];
      const { content = {}, headers = {} } = response;
      for (const [name, header] of Object.entries(headers))
        if ((header as { required?: boolean }).required === true && !answer.headers.has(name))
          faults.push(`has no ${name}`);
      const type = mediaTypeOf(answer);
      if (method === 'HEAD' || Object.keys(content).length === 0)
        return answer.bytes.length === 0 ? faults : [...faults, 'has a body, which is not documented'];
      const media = content[type];
      if (media === undefined) return [...faults, `media type ${type} is not documented for ${answer.status}`];
      if (type === 'application/problem+json') return [...faults, ...problemFaults(answer)];
      if (type !== 'application/json') return faults;
      return [...faults, ...bodyFaults(media.schema ?? {}, JSON.parse(answer.bytes.toString()))];
    },
    strayFaults(answer) {
      const faults = commonFaults(answer);
      return answer.status < 400 || answer.bytes.length === 0 ? faults : [...faults, ...problemFaults(answer)];
    },
    accepts: (schema, value) => validatorOf(schema, false)(value) as boolean,
  };
}

function mediaTypeOf({ headers }: SeenAnswer): string {
  return (headers.get('content-type') ?? 'none').split(';')[0]!.trim();
}

/**
 * A schema as the validator takes it: references lead to `$defs`, an allOf of objects is one object. If `strict`, an
 * object has no fields but those that are named.
 */
function readable(document: OpenApi, schema: Schema, strict: boolean): Schema {
  if (typeof schema !== 'object') return schema;
  if (schema.$ref !== undefined)
    return { $ref: schema.$ref.replace('#/components/schemas/', `${idOf(strict)}#/$defs/`) };
  const { allOf, discriminator: _, ...own } = schema.allOf === undefined ? schema : flatten(document, schema);
  const inner = (one: Schema): Schema => readable(document, one, strict);
  const properties = own.properties && {
    properties: Object.fromEntries(Object.entries(own.properties).map(([name, field]) => [name, inner(field)])),
  };
  const closed =
    strict && Object.keys(own.properties ?? {}).length > 0 && own.additionalProperties === undefined
      ? { additionalProperties: false }
      : {};
  const additional = typeof own.additionalProperties === 'object' && {
    additionalProperties: inner(own.additionalProperties),
  };
  return {
    ...own,
    ...properties,
    ...closed,
    ...additional,
    ...(own.items && { items: inner(own.items) }),
    ...(own.anyOf && { anyOf: own.anyOf.map(inner) }),
    ...(own.oneOf && { oneOf: own.oneOf.map(inner) }),
    ...(allOf && { allOf: allOf.map(inner) }),
  };
}
