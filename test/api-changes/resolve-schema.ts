import type { OpenApi, Schema } from './openapi-types.ts';

/** What a local reference ("#/components/...") points at; other values are returned unchanged. */
export function resolve<T extends { readonly $ref?: string }>(document: OpenApi, value: T): T {
  if (value.$ref === undefined) return value;
  const keys = value.$ref.slice('#/'.length).split('/');
  const found = keys.reduce<unknown>(
    (node, key) => (node as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
  if (found === undefined) throw new Error(`${value.$ref} points nowhere`);
  return resolve(document, found as T);
}

/**
 * One schema in place of an allOf: fields and required fields of all members, other keywords of the last that has it.
 */
export function flatten(document: OpenApi, schema: Schema): Schema {
  const { allOf = [], ...own } = resolve(document, schema);
  if (allOf.length === 0) return own;
  return [...allOf.map((member) => flatten(document, member)), own as Schema].reduce((merged, member) => ({
    ...merged,
    ...member,
    properties: { ...merged.properties, ...member.properties },
    required: [...(merged.required ?? []), ...(member.required ?? [])],
  }));
}
