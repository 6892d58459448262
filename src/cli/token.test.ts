import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readExpiry } from './token.ts';

const now = new Date('2026-01-01T00:00:00Z');

test.each([
  ['30d', '2026-01-31T00:00:00.000Z'],
  ['12h', '2026-01-01T12:00:00.000Z'],
  ['90m', '2026-01-01T01:30:00.000Z'],
  ['2027-01-31T00:00:00Z', '2027-01-31T00:00:00.000Z'],
])('%s is %s', (text, time) => {
  expect(readExpiry(text, now).toISOString()).toBe(time);
});

test('any other text is refused with examples, and no time has passed already', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom('0d', '5', '2020-01-01', '30 d')), (text) => {
      try {
        expect(readExpiry(text, now).getTime()).toBeGreaterThan(now.getTime());
      } catch (error) {
        expect((error as Error).message).toMatch(/is no time to come: 30d, 12h/);
      }
    }),
  );
});
