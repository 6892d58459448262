import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planResponse, type ConditionalFields } from './plan-response.ts';

const etag = '"abc"';
const request = (fields: Partial<ConditionalFields>): ConditionalFields => ({
  method: 'GET',
  ifMatch: undefined,
  ifNoneMatch: undefined,
  range: undefined,
  ifRange: undefined,
  ...fields,
});
const plan = (fields: Partial<ConditionalFields>, sizeBytes = 10) => planResponse(request(fields), { etag, sizeBytes });
const whole = { status: 200, startBytes: 0, endBytes: 10 };

describe('planResponse', () => {
  it.each([
    ['bytes=0-0', { status: 206, startBytes: 0, endBytes: 1 }],
    ['bytes=2-5', { status: 206, startBytes: 2, endBytes: 6 }],
    ['bytes=2-', { status: 206, startBytes: 2, endBytes: 10 }],
    ['bytes=2-99', { status: 206, startBytes: 2, endBytes: 10 }],
    ['bytes=-3', { status: 206, startBytes: 7, endBytes: 10 }],
    ['bytes=-99', { status: 206, startBytes: 0, endBytes: 10 }],
    ['BYTES= 1-2 ', { status: 206, startBytes: 1, endBytes: 3 }],
    ['bytes=10-', { status: 416 }],
    ['bytes=99-100', { status: 416 }],
    ['bytes=-0', { status: 416 }],
    ['bytes=5-2', whole],
    ['bytes=0-1,4-5', whole],
    ['bytes=-', whole],
    ['bytes=a-b', whole],
    ['bytes=0x1-2', whole],
    ['bytes=1-2-3', whole],
    ['items=0-1', whole],
    // More digits than a number holds exactly: a last byte is clamped, a first byte beyond the end is unsatisfiable.
    ['bytes=1234567890123456-', { status: 416 }],
    ['bytes=1234567890123456-1234567890123457', { status: 416 }],
    ['bytes=2-1234567890123456', { status: 206, startBytes: 2, endBytes: 10 }],
    ['bytes=2-99999999999999999999999999999999999999', { status: 206, startBytes: 2, endBytes: 10 }],
    ['bytes=-1234567890123456', { status: 206, startBytes: 0, endBytes: 10 }],
    ['bytes=-00000000000000000003', { status: 206, startBytes: 7, endBytes: 10 }],
    ['bytes=-00000000000000000000', { status: 416 }],
    ['bytes=00000000000000000002-00000000000000000005', { status: 206, startBytes: 2, endBytes: 6 }],
    ['bytes=9007199254740993-9007199254740992', whole],
    ['', whole],
  ])('answers Range: %s', (range, expected) => {
    expect(plan({ range })).toEqual(expected);
  });

  it('has no satisfiable range in an empty file', () => {
    expect(plan({ range: 'bytes=0-' }, 0)).toEqual({ status: 416 });
    expect(plan({}, 0)).toEqual({ status: 200, startBytes: 0, endBytes: 0 });
  });

  it.each([
    [{ ifNoneMatch: etag }, 304],
    [{ ifNoneMatch: 'W/"abc"' }, 304],
    [{ ifNoneMatch: '"x", "abc"' }, 304],
    [{ ifNoneMatch: '*' }, 304],
    [{ ifNoneMatch: '"x"' }, 200],
    [{ ifNoneMatch: 'abc' }, 200],
    [{ ifMatch: etag }, 200],
    [{ ifMatch: '*' }, 200],
    [{ ifMatch: '"x", "abc"' }, 200],
    [{ ifMatch: 'W/"abc"' }, 412],
    [{ ifMatch: '"x"' }, 412],
    [{ ifMatch: '"x"', ifNoneMatch: etag }, 412],
    [{ ifNoneMatch: etag, range: 'bytes=0-1' }, 304],
    [{ ifMatch: etag, range: 'bytes=99-' }, 416],
  ])('answers %j with %i', (fields, status) => {
    expect(plan(fields).status).toBe(status);
  });

  it.each([
    [etag, 206],
    ['W/"abc"', 200],
    ['"x"', 200],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 200],
  ])('holds a range to If-Range: %s', (ifRange, status) => {
    expect(plan({ range: 'bytes=0-1', ifRange }).status).toBe(status);
  });

  it('ignores Range for HEAD', () => {
    expect(plan({ method: 'HEAD', range: 'bytes=0-1' })).toEqual(whole);
  });

  it('never plans bytes outside the file, whatever the field says', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^bytes=\d{0,40}-\d{0,40}$/)),
        fc.nat(1000),
        (range, sizeBytes) => {
          const planned = plan({ range }, sizeBytes);
          if (!('startBytes' in planned)) return;
          expect(planned.startBytes).toBeGreaterThanOrEqual(0);
          expect(planned.endBytes).toBeLessThanOrEqual(sizeBytes);
          expect(planned.endBytes - planned.startBytes).toBeGreaterThanOrEqual(planned.status === 206 ? 1 : 0);
        },
      ),
    );
  });
});
