import fc from 'fast-check';

/** Values that programs trip over. */
const oddValues: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  2 ** 53,
  1e308,
  '',
  'x'.repeat(5000),
  '\u0000',
  'a\u0000b',
  '\ud800',
  '../..',
  'NaN',
  '9'.repeat(400),
  [],
  {},
  [[[[]]]],
  { __proto__: null, constructor: 1 },
];
/** Bodies that no JSON value of the schema comes to. */
const oddTexts = [
  '',
  '{',
  'null',
  '[]',
  '1',
  '"',
  '{"name":1,"name":"a"}',
  '\u0000',
  '['.repeat(20_000),
  '{"a":1e999}',
];

/** One way of spoiling a JSON body; `place` chooses among its values, in order of writing. */
export type JsonBreak =
  | { readonly kind: 'drop' | 'add'; readonly place: number }
  | { readonly kind: 'replace'; readonly place: number; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string };

const place = fc.nat({ max: 20 });

export const jsonBreaks: fc.Arbitrary<JsonBreak> = fc.oneof(
  fc.record({ kind: fc.constantFrom('drop' as const, 'add' as const), place }),
  fc.record({ kind: fc.constant('replace' as const), place, value: fc.constantFrom(...oddValues) }),
  fc.record({ kind: fc.constant('text' as const), text: fc.constantFrom(...oddTexts) }),
);

/** The text of a JSON value after it was spoiled. */
export function breakJson(value: unknown, broken: JsonBreak): string {
  if (broken.kind === 'text') return broken.text;
  const copy = { root: structuredClone(value) };
  const slots = slotsOf(copy);
  const [holder, key] = slots[broken.place % slots.length]!;
  if (broken.kind === 'replace') holder[key] = broken.value;
  else if (broken.kind === 'add') (isHolder(holder[key]) ? holder[key] : holder)['unheardOf'] = 1;
  else delete holder[key];
  return JSON.stringify(copy.root) ?? '';
}

type Holder = Record<string, unknown>;

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}

/** Every value inside a value, as the object that has it and its key there. */
function slotsOf(holder: Holder): [holder: Holder, key: string][] {
  return Object.entries(holder).flatMap(([key, value]) => [
    [holder, key] as [Holder, string],
    ...(isHolder(value) ? slotsOf(value) : []),
  ]);
}
