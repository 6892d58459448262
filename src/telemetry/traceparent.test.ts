import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

test('a traceparent is read as it was written, sampled or not', () => {
  const hex = (length: number) =>
    fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0+$/.test(text));
  fc.assert(
    fc.property(hex(32), hex(16), fc.integer({ min: 0, max: 1 }), (trace, span, traceFlags) => {
      const context = { traceId: trace, spanId: span, traceFlags };
      expect(parseTraceparent(formatTraceparent(context))).toEqual({ ...context, isRemote: true });
    }),
  );
});

test.each([
  ['the specification', `00-${traceId}-${spanId}-01`, 1],
  ['flags of later levels', `00-${traceId}-${spanId}-fe`, 0],
  ['a later version with more fields', `cc-${traceId}-${spanId}-01-what-the-future-will-be`, 1],
])('taken: %s', (_, text, traceFlags) => {
  expect(parseTraceparent(text)).toEqual({ traceId, spanId, traceFlags, isRemote: true });
});

test.each([
  ['nothing', ''],
  ['two joined', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
  ['upper case', `00-${traceId.toUpperCase()}-${spanId}-01`],
  ['an unknown version', `ff-${traceId}-${spanId}-01`],
  ['more fields than the version has', `00-${traceId}-${spanId}-01-x`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a parent of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['a short id', `00-${traceId.slice(1)}-${spanId}-01`],
  ['a line break', `00-${traceId}-${spanId}-01\n`],
])('no traceparent: %s', (_, text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});

test('nothing that a client sends throws', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parseTraceparent(text)).toBeUndefined();
    }),
  );
});
