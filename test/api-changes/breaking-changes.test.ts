import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openApiText } from '../../src/http/openapi-text.ts';
import { breakingChanges } from './breaking-changes.ts';
import { intendedChanges, limitsNowTold } from './intended-changes.ts';
import type { OpenApi, Parameter, Schema } from './openapi-types.ts';

const released = JSON.parse(readFileSync(new URL('../../openapi/released.json', import.meta.url), 'utf8')) as OpenApi;

test('the API breaks no client of the released document, but where that is intended', () => {
  const found = breakingChanges(released, JSON.parse(openApiText()) as OpenApi);
  const isLimit = (sentence: string) => limitsNowTold.some(({ change }) => sentence.endsWith(`: ${change}`));
  expect([...new Set(found)].filter((sentence) => !isLimit(sentence)).sort()).toEqual(
    intendedChanges.map(({ change }) => change).sort(),
  );
  expect(limitsNowTold.filter(({ change }) => !found.some((sentence) => sentence.endsWith(`: ${change}`)))).toEqual([]);
});

test('each intended change has its reason', () => {
  expect([...intendedChanges, ...limitsNowTold].filter(({ reason }) => reason.trim() === '')).toEqual([]);
});

test('a document breaks nothing of itself', () => {
  expect(breakingChanges(released, released)).toEqual([]);
});

const of = (schema: Schema) => ({ 'application/json': { schema } });
interface Parts {
  readonly parameters?: readonly Parameter[];
  readonly request?: Schema;
  readonly bodyRequired?: boolean;
  readonly response?: Schema;
}
/** A document of one operation. */
function documentOf({ parameters = [], request, bodyRequired = false, response = {} }: Parts): OpenApi {
  const requestBody = request && { requestBody: { required: bodyRequired, content: of(request) } };
  const responses = { 200: { headers: { ETag: {} }, content: of(response) } };
  return { paths: { '/a': { post: { parameters, ...requestBody, responses } } } };
}
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
});
const limit = (schema: Schema, required = false): Parameter => ({ name: 'limit', in: 'query', required, schema });

test.each<readonly [what: string, before: Parts, after: Parts, changes: readonly string[]]>([
  ['a parameter goes', { parameters: [limit({})] }, { parameters: [] }, ['POST /a query limit: parameter removed']],
  ['a parameter comes that is required', {}, { parameters: [limit({}, true)] }, ['POST /a query limit: now required']],
  ['a parameter comes', {}, { parameters: [limit({})] }, []],
  [
    'a parameter accepts less',
    { parameters: [limit({ type: 'integer', maximum: 9 })] },
    { parameters: [limit({ type: 'integer', maximum: 8 })] },
    ['POST /a query limit: maximum is now 8'],
  ],
  ['a body becomes required', { request: {} }, { request: {}, bodyRequired: true }, ['POST /a body: now required']],
  ['a body goes', { request: {} }, {}, ['POST /a body application/json: media type removed']],
])('%s', (_, before, after, changes) => {
  expect(breakingChanges(documentOf(before), documentOf(after))).toEqual(changes);
});

test.each<
  readonly [what: string, before: Schema, after: Schema, request: readonly string[], response: readonly string[]]
>([
  ['a field goes', object({ a: {} }), object({}), ['.a: field removed'], ['.a: field removed']],
  ['a field comes', object({}), object({ a: {} }), [], []],
  ['a field becomes required', object({ a: {} }), object({ a: {} }, ['a']), ['.a: now required'], []],
  ['a field becomes optional', object({ a: {} }, ['a']), object({ a: {} }), [], ['.a: may now be absent']],
  [
    'other fields are refused',
    object({}),
    { ...object({}), additionalProperties: false },
    [': no longer accepts other fields'],
    [],
  ],
  ['an enum narrows', { enum: ['a', 'b'] }, { enum: ['a'] }, [': no longer accepts "b"'], []],
  ['an enum widens', { enum: ['a'] }, { enum: ['a', 'b'] }, [], []],
  ['an enum comes', {}, { enum: ['a'] }, [': now accepts only listed values'], []],
  ['a minimum rises', { minimum: 1 }, { minimum: 2 }, [': minimum is now 2'], []],
  ['a minimum falls', { minimum: 1 }, { minimum: 0 }, [], []],
  ['a minimum comes', {}, { exclusiveMinimum: 0 }, [': exclusiveMinimum is now 0'], []],
  ['a maximum falls', { maximum: 2 }, { maximum: 1 }, [': maximum is now 1'], []],
  ['a length shrinks', { maxLength: 2 }, { maxLength: 1 }, [': maxLength is now 1'], []],
  ['a list shrinks', { maxItems: 2 }, { maxItems: 1 }, [': maxItems is now 1'], []],
  ['a pattern changes', { pattern: 'a' }, { pattern: 'b' }, [': pattern is now b'], []],
  ['a format comes', {}, { format: 'uri' }, [': format is now uri'], []],
  ['a type changes', { type: 'string' }, { type: 'number' }, [': no longer accepts string'], [': may now be number']],
  ['an integer becomes a number', { type: 'integer' }, { type: 'number' }, [], [': may now be number']],
  ['a number becomes an integer', { type: 'number' }, { type: 'integer' }, [': no longer accepts number'], []],
  ['null comes', { type: 'string' }, { type: ['string', 'null'] }, [], [': may now be null']],
  [
    'null goes',
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    { type: 'string' },
    [': no longer accepts null'],
    [],
  ],
  ['items change', { items: { maximum: 2 } }, { items: { maximum: 1 } }, ['[]: maximum is now 1'], []],
  [
    'values of other fields change',
    { additionalProperties: { maximum: 2 } },
    { additionalProperties: { maximum: 1 } },
    ['.*: maximum is now 1'],
    [],
  ],
  [
    'a field inside an allOf goes',
    { allOf: [object({ a: {} }), object({ b: {} })] },
    { allOf: [object({ a: {} })] },
    ['.b: field removed'],
    ['.b: field removed'],
  ],
])('of a schema: %s', (_, before, after, request, response) => {
  const places = (changes: readonly string[], place: string): string[] => changes.map((one) => `${place}${one}`);
  expect(breakingChanges(documentOf({ request: before }), documentOf({ request: after }))).toEqual(
    places(request, 'POST /a body'),
  );
  expect(breakingChanges(documentOf({ response: before }), documentOf({ response: after }))).toEqual(
    places(response, 'POST /a 200'),
  );
});

test('a path, an operation, a status, a media type and a header that go are found', () => {
  const { post } = documentOf({}).paths['/a']!;
  const before = documentOf({});
  const changesTo = (paths: OpenApi['paths']): string[] => breakingChanges(before, { paths });
  expect(changesTo({})).toEqual(['/a: path removed']);
  expect(changesTo({ '/a': { get: post! } })).toEqual(['POST /a: operation removed']);
  expect(changesTo({ '/a': { post: { responses: {} } } })).toEqual(['POST /a 200: status removed']);
  expect(changesTo({ '/a': { post: { responses: { 200: { headers: { ETag: {} } } } } } })).toEqual([
    'POST /a 200 application/json: media type removed',
  ]);
  expect(changesTo({ '/a': { post: { responses: { 200: { content: of({}) } } } } })).toEqual([
    'POST /a 200 header ETag: header removed',
  ]);
});

test('references are followed, and a schema that contains itself ends', () => {
  const tree = (maximum: number): OpenApi => ({
    ...documentOf({ request: { $ref: '#/components/schemas/Tree' } }),
    components: {
      schemas: { Tree: object({ size: { maximum }, kids: { items: { $ref: '#/components/schemas/Tree' } } }) },
    },
  });
  expect(breakingChanges(tree(2), tree(1))).toEqual(['POST /a body.size: maximum is now 1']);
});
