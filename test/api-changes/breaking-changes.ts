import type { Content, OpenApi, Operation, Parameter } from './openapi-types.ts';
import { resolve } from './resolve-schema.ts';
import { schemaChanges, type Compared, type Direction } from './schema-changes.ts';

/**
 * What breaks a client of the earlier document when the server follows the later one: a sentence each, that starts with
 * the method and path. Additions break nothing.
 */
export function breakingChanges(before: OpenApi, after: OpenApi): string[] {
  const documents = { before, after };
  return Object.entries(before.paths).flatMap(([path, operations]) => {
    const later = after.paths[path];
    if (later === undefined) return [`${path}: path removed`];
    return Object.entries(operations).flatMap(([method, operation]) => {
      const place = `${method.toUpperCase()} ${path}`;
      const kept = later[method];
      if (kept === undefined) return [`${place}: operation removed`];
      return operationChanges(documents, { before: operation, after: kept }, place);
    });
  });
}

function operationChanges(
  documents: Compared<OpenApi>,
  { before, after }: Compared<Operation>,
  place: string,
): string[] {
  return [
    ...parameterChanges(documents, { before, after }, place),
    ...requestChanges(documents, { before, after }, place),
    ...responseChanges(documents, { before, after }, place),
  ];
}

function parameterChanges(
  documents: Compared<OpenApi>,
  { before, after }: Compared<Operation>,
  place: string,
): string[] {
  const byName = (document: OpenApi, { parameters = [] }: Operation): Map<string, Parameter> =>
    new Map(parameters.map((parameter) => resolve(document, parameter)).map((one) => [`${one.in} ${one.name}`, one]));
  const [was, is] = [byName(documents.before, before), byName(documents.after, after)];
  const removed = [...was.keys()].filter((name) => !is.has(name));
  return [
    ...removed.map((name) => `${place} ${name}: parameter removed`),
    ...[...is].flatMap(([name, parameter]) => {
      const earlier = was.get(name);
      const demanded = parameter.required && !earlier?.required ? [`${place} ${name}: now required`] : [];
      if (earlier?.schema === undefined || parameter.schema === undefined) return demanded;
      const schemas = { before: earlier.schema, after: parameter.schema };
      return [...demanded, ...schemaChanges(documents, schemas, 'request', `${place} ${name}`)];
    }),
  ];
}

function requestChanges(documents: Compared<OpenApi>, { before, after }: Compared<Operation>, place: string): string[] {
  const [was, is] = [before.requestBody, after.requestBody];
  const demanded = is?.required && !was?.required ? [`${place} body: now required`] : [];
  if (was === undefined) return demanded;
  const contents = { before: was.content, after: is?.content ?? {} };
  return [...demanded, ...contentChanges(documents, contents, 'request', `${place} body`)];
}

function responseChanges(
  documents: Compared<OpenApi>,
  { before, after }: Compared<Operation>,
  place: string,
): string[] {
  return Object.entries(before.responses).flatMap(([status, was]) => {
    const is = after.responses[status];
    if (is === undefined) return [`${place} ${status}: status removed`];
    const lost = Object.keys(was.headers ?? {}).filter((name) => !Object.hasOwn(is.headers ?? {}, name));
    const contents = { before: was.content ?? {}, after: is.content ?? {} };
    return [
      ...lost.map((name) => `${place} ${status} header ${name}: header removed`),
      ...contentChanges(documents, contents, 'response', `${place} ${status}`),
    ];
  });
}

function contentChanges(
  documents: Compared<OpenApi>,
  contents: Compared<Content>,
  direction: Direction,
  place: string,
): string[] {
  return Object.entries(contents.before).flatMap(([type, { schema }]) => {
    const later = contents.after[type];
    if (later === undefined) return [`${place} ${type}: media type removed`];
    if (schema === undefined || later.schema === undefined) return [];
    return schemaChanges(documents, { before: schema, after: later.schema }, direction, place);
  });
}
