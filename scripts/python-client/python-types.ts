import type { OpenApi, Schema } from '../../test/api-changes/openapi-types.ts';
import { flatten } from '../../test/api-changes/resolve-schema.ts';

/** Python's classes of the schemas of a document, as they are found. */
export interface PythonClasses {
  /** The Python type of a schema; objects that have no name get one that begins with `hint`. */
  typeOf(schema: Schema, hint: string): string;
  /** Definitions of all types, in an order that Python accepts. */
  definitions(): string[];
}

/** Types for a document: a TypedDict for each object, unions and literals as they are. */
export function pythonClasses(document: OpenApi): PythonClasses {
  const schemas = (document.components?.['schemas'] ?? {}) as Readonly<Record<string, Schema>>;
  const written = new Map<string, string>();
  const aliases: string[] = [];

  function typeOf(given: Schema, hint: string): string {
    if (given.$ref !== undefined) return given.$ref.split('/').at(-1)!;
    const schema = given.allOf === undefined ? given : flatten(document, given);
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined) return union(choices.map((one, index) => typeOf(one, `${hint}${index + 1}`)));
    if (Array.isArray(schema.type))
      return union((schema.type as string[]).map((type) => typeOf({ ...schema, type }, hint)));
    if (Object.keys(schema.properties ?? {}).length > 0) {
      define(hint, schema);
      return hint;
    }
    return plainType(schema, hint);
  }

  function plainType(schema: Schema, hint: string): string {
    const { additionalProperties: values } = schema;
    if (schema.type === 'array') return `List[${typeOf(schema.items ?? {}, `${hint}Item`)}]`;
    if (schema.type === 'object') {
      const isTyped = typeof values === 'object' && Object.keys(values).length > 0;
      return `Dict[str, ${isTyped ? typeOf(values, `${hint}Value`) : 'Any'}]`;
    }
    return (
      { integer: 'int', number: 'float', boolean: 'bool', null: 'None', string: 'str' }[String(schema.type)] ?? 'Any'
    );
  }

  function define(name: string, schema: Schema): void {
    const required = new Set(schema.required ?? []);
    const lines = (isRequired: boolean): string[] =>
      Object.entries(schema.properties ?? {})
        .filter(([field]) => required.has(field) === isRequired)
        .map(([field, value]) => `    ${field}: ${typeOf(value, `${name}${capital(field)}`)}`);
    const [needed, optional] = [lines(true), lines(false)];
    const documented = schema['description'] === undefined ? [] : [`    ${docstring(String(schema['description']))}`];
    const base = `_${name}Required`;
    // Python 3.9 has no NotRequired: optional fields are those of a class over the required ones.
    const parts =
      needed.length > 0 && optional.length > 0
        ? [
            `class ${base}(TypedDict):`,
            ...needed,
            '',
            '',
            `class ${name}(${base}, total=False):`,
            ...documented,
            ...optional,
          ]
        : [
            `class ${name}(TypedDict${optional.length > 0 ? ', total=False' : ''}):`,
            ...documented,
            ...needed,
            ...optional,
          ];
    written.set(name, parts.join('\n'));
  }

  for (const [name, schema] of Object.entries(schemas)) {
    const type = typeOf(schema, name);
    if (type !== name)
      aliases.push(`${name} = ${type.replaceAll(/\b[A-Z]\w+\b/g, (one) => (one in schemas ? `"${one}"` : one))}`);
  }
  return { typeOf, definitions: () => [...written.values(), ...(aliases.length > 0 ? [aliases.join('\n')] : [])] };
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)];
  return different.length === 1 ? different[0]! : `Union[${different.join(', ')}]`;
}

function literal(value: unknown): string {
  if (value === true) return 'True';
  return value === false ? 'False' : JSON.stringify(value);
}

function capital(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** A text as a docstring of one paragraph. */
export function docstring(text: string): string {
  const safe = text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replaceAll(/\s+/g, ' ').trim();
  return `"""${safe}${safe.endsWith('"') ? ' ' : ''}"""`;
}
