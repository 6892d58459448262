import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeJson, encodeJson } from './json-column.ts';

test('every JSON value and every number comes back', () => {
  const key = fc.oneof(fc.string(), fc.constantFrom('$number', '$$number', '$', '__proto__', 'constructor'));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.double().map((number) => (Object.is(number, -0) ? 0 : number)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  fc.assert(
    fc.property(value, (plain) => {
      expect(decodeJson(JSON.parse(encodeJson(plain)))).toEqual(plain);
    }),
  );
});

test('numbers JSON cannot write are objects in the database, everything else is plain', () => {
  expect(JSON.parse(encodeJson({ a: [1, Number.NaN], b: Number.NEGATIVE_INFINITY }))).toEqual({
    a: [1, { $number: 'NaN' }],
    b: { $number: '-Infinity' },
  });
});
