import fc from 'fast-check';
import type { OpenApi, Operation, Parameter, Schema } from '../api-changes/openapi-types.ts';
import { resolve } from '../api-changes/resolve-schema.ts';
import { jsonBreaks, type JsonBreak } from './break-json.ts';
import { fewNames } from './fuzz-world.ts';
import { jsonOf } from './json-of-schema.ts';
import { smallContents } from './small-contents.ts';

/** An operation of the document, with its place there. */
export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation & { readonly operationId: string };
  readonly parameters: readonly Parameter[];
}

/** Where a parameter's value comes from: the world (an index into what is known), or the schema. */
export type PlannedValue = { readonly known: number } | { readonly made: unknown };

/** One way of making a request that the document does not have. */
export type Spoiling =
  | { readonly kind: 'json'; readonly broken: JsonBreak }
  | { readonly kind: 'query'; readonly name: string; readonly value: string }
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'path'; readonly name: number; readonly value: string }
  | { readonly kind: 'method'; readonly method: string }
  | { readonly kind: 'length'; readonly extra: number }
  | { readonly kind: 'media'; readonly type: string };

/** A request before the world is known: shrinks well, and means the same in every sequence. */
export interface PlannedRequest {
  readonly placed: PlacedOperation;
  readonly values: Readonly<Record<string, PlannedValue>>;
  readonly mediaType?: string;
  readonly json?: unknown;
  /** Of `smallContents`, for bodies that are bytes and headers that tell of bytes. */
  readonly content: number;
  readonly token: string;
  readonly spoilings: readonly Spoiling[];
}

/** Every operation of the document. */
export function placedOperations(document: OpenApi): PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: operation as PlacedOperation['operation'],
      parameters: (operation.parameters ?? []).map((one) => resolve(document, one)),
    })),
  );
}

const often = <T>(arbitrary: fc.Arbitrary<T>, weight: number) => ({ arbitrary, weight });

/** Texts that programs trip over where a name or a number is expected. */
const oddTexts = [
  '',
  ' ',
  '0',
  '-1',
  '1e3',
  '99999999999999999999',
  'latest',
  'a b',
  'ü',
  '\u0000',
  "'",
  '%',
  '..',
  '.',
];
const oddPaths = [...oddTexts, 'a/b', '%ff', '%00', '%2e%2e', 'x'.repeat(300), '~', 'main', '{step}'];
const oddHeaders = ['', '*', '"x"', 'x'.repeat(9000), 'bytes=0-0', 'bytes=9-1', 'bytes=-1', 'bytes=999999-', '0', '-1'];
const moreHeaders = [
  'range',
  'if-match',
  'content-type',
  'idempotency-key',
  'upload-length',
  'upload-offset',
  'accept',
];

/** Operations that lead somewhere come up more often. */
const weights: Readonly<Record<string, number>> = {
  createRepository: 4,
  createRun: 5,
  reserveCheckpoint: 4,
  putFile: 4,
  commitCheckpoint: 4,
  pushCheckpoint: 6,
  createFileUpload: 6,
  createEvalSet: 3,
  createEvalSetUpload: 3,
  patchUpload: 5,
  putUploadPart: 5,
  completeUpload: 5,
  getFile: 3,
  commitEvalSet: 2,
};

/** Requests for every operation: mostly as documented, a third of them spoiled. */
export function plannedRequests(document: OpenApi): fc.Arbitrary<PlannedRequest> {
  const operations = placedOperations(document);
  return fc.oneof(...operations.map((one) => often(planned(document, one), weights[one.operation.operationId] ?? 1)));
}

function planned(document: OpenApi, placed: PlacedOperation): fc.Arbitrary<PlannedRequest> {
  const { operation, parameters } = placed;
  const values = Object.fromEntries(parameters.map((one) => [one.name, valueOf(document, one)]));
  const body = operation.requestBody?.content ?? {};
  const rest = fc.record({
    values: fc.record(values).map(withoutAbsent),
    content: fc.nat({ max: smallContents.length - 1 }),
    token: fc.oneof(often(fc.constant('admin'), 30), often(fc.constantFrom('reader', 'none', 'wrong'), 1)),
    spoilings: fc.oneof(
      often(fc.constant<Spoiling[]>([]), 2),
      often(fc.array(spoilingOf(parameters), { minLength: 1, maxLength: 2 }), 1),
    ),
  });
  const bodies = Object.entries(body).map(([mediaType, { schema = {} }]) =>
    mediaType === 'application/json'
      ? jsonOf({ document, fields: fewNames }, schema).map((json) => ({ mediaType, json: oneContent(json) }))
      : fc.constant({ mediaType }),
  );
  return fc.tuple(rest, bodies.length === 0 ? fc.constant({}) : fc.oneof(...bodies)).map(([plan, sent]) => ({
    placed,
    ...plan,
    ...sent,
  }));
}

/** A digest and the size beside it are those of the same bytes, or an upload could never be complete. */
function oneContent(json: unknown): unknown {
  const fields = json as { sha256?: unknown; sizeBytes?: unknown } | null;
  const content = smallContents.find(({ sha256 }) => sha256 === fields?.sha256);
  return content === undefined || typeof fields?.sizeBytes !== 'number'
    ? json
    : { ...fields, sizeBytes: content.bytes.length };
}

/** Fields that most requests of tus carry. */
const tusHeaders = ['tus-resumable', 'upload-length', 'upload-offset', 'upload-metadata'];

/** Undefined: the parameter is not sent. */
function valueOf(
  document: OpenApi,
  { name, in: place, required = false, schema = {} }: Parameter,
): fc.Arbitrary<PlannedValue | undefined> {
  const known = fc.nat({ max: 12 }).map((index) => ({ known: index }));
  const made = jsonOf({ document, fields: fewNames }, schema as Schema).map((value) => ({ made: value }));
  const isEnum = (schema as Schema).enum !== undefined;
  const value = isEnum ? made : fc.oneof(often(known, 20), often(made, 1));
  const absent = required ? 0 : tusHeaders.includes(name) ? 1 : place === 'header' ? 8 : 3;
  return fc.oneof(often(value, 2), often(fc.constant(undefined), absent));
}

function withoutAbsent(values: Readonly<Record<string, PlannedValue | undefined>>): Record<string, PlannedValue> {
  const sent = Object.entries(values).filter((pair): pair is [string, PlannedValue] => pair[1] !== undefined);
  return Object.fromEntries(sent);
}

function spoilingOf(parameters: readonly Parameter[]): fc.Arbitrary<Spoiling> {
  const named = (place: string): string[] => parameters.filter((one) => one.in === place).map(({ name }) => name);
  return fc.oneof(
    often(fc.record({ kind: fc.constant('json' as const), broken: jsonBreaks }), 4),
    fc.record({
      kind: fc.constant('query' as const),
      name: fc.constantFrom('unheardOf', ...named('query')),
      value: fc.constantFrom(...oddTexts),
    }),
    fc.record({
      kind: fc.constant('header' as const),
      name: fc.constantFrom(...moreHeaders, ...named('header')),
      value: fc.constantFrom(...oddHeaders),
    }),
    fc.record({ kind: fc.constant('path' as const), name: fc.nat({ max: 6 }), value: fc.constantFrom(...oddPaths) }),
    fc.record({
      kind: fc.constant('method' as const),
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
    }),
    fc.record({ kind: fc.constant('length' as const), extra: fc.constantFrom(-1, 1, 1e15) }),
    fc.record({
      kind: fc.constant('media' as const),
      type: fc.constantFrom('text/plain', 'application/json; charset=latin1', 'application/octet-stream', 'x'),
    }),
  );
}
