import type { OpenApi, Schema } from './openapi-types.ts';
import { flatten } from './resolve-schema.ts';

/** Who sends the value: clients send requests, the server sends responses. */
export type Direction = 'request' | 'response';

export interface Compared<T> {
  readonly before: T;
  readonly after: T;
}

interface Comparison {
  readonly documents: Compared<OpenApi>;
  readonly direction: Direction;
  /** Pairs of references being compared; a schema may contain itself. */
  readonly open: ReadonlySet<string>;
}

const lowerLimits = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const upperLimits = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

/**
 * Changes of one schema that break a client, each a sentence that starts with the place. Requests may accept more than
 * before, and responses may promise more. A new value of an enum in a response is not reported: a client is expected to
 * accept values that it does not know.
 */
export function schemaChanges(
  documents: Compared<OpenApi>,
  { before, after }: Compared<Schema>,
  direction: Direction,
  place: string,
): string[] {
  return compare({ documents, direction, open: new Set() }, before, after, place);
}

function compare(comparison: Comparison, before: Schema, after: Schema, place: string): string[] {
  const { documents, direction, open } = comparison;
  const pair = `${before.$ref} ${after.$ref}`;
  if (before.$ref !== undefined && open.has(pair)) return [];
  const inner = { ...comparison, open: new Set([...open, pair]) };
  const earlier = alternatives(documents.before, before);
  const later = alternatives(documents.after, after);
  // Each value a client sends must still be accepted; each value the server sends must have been announced.
  const [promised, offered] = direction === 'request' ? [earlier, later] : [later, earlier];
  const verb = direction === 'request' ? 'no longer accepts' : 'may now be';
  return promised.flatMap((one, index) => {
    const other = partner(one, promised.slice(0, index), offered);
    if (other === undefined) return [`${place}: ${verb} ${one.type ?? 'any value'}`];
    const [was, is] = direction === 'request' ? [one, other] : [other, one];
    return compareOne(inner, was.schema, is.schema, place);
  });
}

interface Alternative {
  readonly ref: string | undefined;
  readonly type: string | undefined;
  readonly schema: Schema;
}

/** A schema as a list of schemas of one type each: members of anyOf and oneOf, and of a list of types. */
function alternatives(document: OpenApi, schema: Schema): Alternative[] {
  const flat = flatten(document, schema);
  const members = flat.anyOf ?? flat.oneOf;
  if (members !== undefined) return members.flatMap((member) => alternatives(document, member));
  const types = typeof flat.type === 'string' ? [flat.type] : (flat.type ?? [undefined]);
  return types.map((type) => ({ ref: schema.$ref, type, schema: flat }));
}

/** The alternative of the same name, otherwise the one of the same type at the same position among that type. */
function partner(one: Alternative, earlier: Alternative[], offered: Alternative[]): Alternative | undefined {
  const sameName = offered.find(({ ref }) => one.ref !== undefined && ref === one.ref);
  const position = earlier.filter(({ type }) => type === one.type).length;
  const sameType = offered.filter(({ type }) => type === one.type);
  const wider = offered.find(({ type }) => type === undefined || (one.type === 'integer' && type === 'number'));
  return (sameName?.type === one.type ? sameName : undefined) ?? sameType[position] ?? sameType[0] ?? wider;
}

function compareOne(comparison: Comparison, before: Schema, after: Schema, place: string): string[] {
  const fields = fieldChanges(comparison, before, after, place);
  const items = before.items && after.items ? compare(comparison, before.items, after.items, `${place}[]`) : [];
  const [was, is] = [before.additionalProperties, after.additionalProperties];
  const others = typeof was === 'object' && typeof is === 'object' ? compare(comparison, was, is, `${place}.*`) : [];
  const limits = comparison.direction === 'request' ? narrowed(before, after, place) : [];
  return [...fields, ...items, ...others, ...limits];
}

function fieldChanges(comparison: Comparison, before: Schema, after: Schema, place: string): string[] {
  const isRequest = comparison.direction === 'request';
  const [was, is] = [before.properties ?? {}, after.properties ?? {}];
  const shared = Object.keys(was).filter((name) => Object.hasOwn(is, name));
  const removed = Object.keys(was).filter((name) => !Object.hasOwn(is, name));
  const [required, requiredBefore] = [after.required ?? [], before.required ?? []];
  return [
    ...removed.map((name) => `${place}.${name}: field removed`),
    ...(isRequest
      ? required.filter((name) => !requiredBefore.includes(name)).map((name) => `${place}.${name}: now required`)
      : shared
          .filter((name) => requiredBefore.includes(name) && !required.includes(name))
          .map((name) => `${place}.${name}: may now be absent`)),
    ...(isRequest && before.additionalProperties !== false && after.additionalProperties === false
      ? [`${place}: no longer accepts other fields`]
      : []),
    ...shared.flatMap((name) => compare(comparison, was[name]!, is[name]!, `${place}.${name}`)),
  ];
}

/** Values that the earlier schema accepted and the later one refuses, by enum, limit, pattern or format. */
function narrowed(before: Schema, after: Schema, place: string): string[] {
  const gone = before.enum?.filter((value) => after.enum && !after.enum.includes(value)) ?? [];
  const tighter = (keyword: string, tightens: (was: number, is: number) => boolean): string[] => {
    const [was, is] = [before[keyword], after[keyword]];
    if (typeof is !== 'number') return [];
    if (typeof was === 'number' && !tightens(was, is)) return [];
    return [`${place}: ${keyword} is now ${is}`];
  };
  const changed = (['pattern', 'format'] as const).filter(
    (keyword) => after[keyword] !== undefined && after[keyword] !== before[keyword],
  );
  return [
    ...gone.map((value) => `${place}: no longer accepts ${JSON.stringify(value)}`),
    ...(before.enum === undefined && after.enum !== undefined ? [`${place}: now accepts only listed values`] : []),
    ...lowerLimits.flatMap((keyword) => tighter(keyword, (was, is) => is > was)),
    ...upperLimits.flatMap((keyword) => tighter(keyword, (was, is) => is < was)),
    ...changed.map((keyword) => `${place}: ${keyword} is now ${after[keyword]}`),
  ];
}
