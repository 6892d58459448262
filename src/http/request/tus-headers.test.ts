import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { metadataLengthMax, metadataPairsMax, parseByteCount, parseChecksum, parseMetadata } from './tus-headers.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const code = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error instanceof FirnError ? error.code : error;
  }
};
/** Header values, mostly with the characters of the grammars. */
const field = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: fc.constantFrom('a', 'B', '9', '+', '/', '=', ' ', ',', ':', 'sha1 ', '\t', 'é'), maxLength: 200 }),
);

describe('header fields of tus', () => {
  it('read metadata', () => {
    expect([...parseMetadata(`path ${base64('a/ü.bin')},is_confidential, role ${base64('other')}`)]).toEqual([
      ['path', 'a/ü.bin'],
      ['is_confidential', ''],
      ['role', 'other'],
    ]);
    expect(parseMetadata(undefined).size + parseMetadata(' ').size).toBe(0);
  });

  it.each([
    ['a a a', 'three words'],
    ['a b!', 'no base64'],
    [',', 'nothing between commas'],
    ['a,a', 'a key twice'],
    [`a ${Buffer.from([0xff]).toString('base64')}`, 'no UTF-8'],
    ['ä YQ==', 'a key that is not ASCII'],
    ['a'.repeat(metadataLengthMax + 1), 'too long'],
    [Array.from({ length: metadataPairsMax + 1 }, (_, at) => `k${at}`).join(','), 'too many'],
  ])('refuse metadata: %s (%s)', (text) => {
    expect(code(() => parseMetadata(text))).toBe('invalid-request');
  });

  it.each(['', ' 1', '-1', '+1', '1.5', '1e3', '0x10', '1,2', '1234567890123456', 'NaN', '٣'])(
    'refuse a number of bytes: %j',
    (text) => {
      expect(code(() => parseByteCount('Upload-Length', text))).toBe('invalid-request');
    },
  );

  it.each([
    'sha1',
    'sha1 ',
    'sha1 YQ==',
    `md5 ${base64('a'.repeat(16))}`,
    `SHA1 ${base64('a'.repeat(20))}`,
    `toString ${base64('a'.repeat(20))}`,
  ])('refuse a checksum: %j', (text) => {
    expect(code(() => parseChecksum(text))).toBe('invalid-request');
  });

  it('whatever comes, give a value inside of the limits or say invalid-request', () => {
    fc.assert(
      fc.property(field, (text) => {
        const pairs = code(() => parseMetadata(text));
        if (pairs instanceof Map) expect(pairs.size).toBeLessThanOrEqual(metadataPairsMax);
        else expect(pairs).toBe('invalid-request');
        const bytes = code(() => parseByteCount('Upload-Offset', text));
        if (bytes !== 'invalid-request') expect(String(bytes)).toBe(text.replace(/^0+(?=\d)/, ''));
        const checksum = code(() => parseChecksum(text));
        if (checksum !== 'invalid-request') expect(checksum).toHaveProperty('algorithm');
      }),
      { numRuns: 2000 },
    );
  });

  it('give back any metadata that a client writes', () => {
    const key = fc.string({ unit: fc.constantFrom(...'abcXYZ019_-.+/='), minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.dictionary(key, fc.string({ unit: 'grapheme', maxLength: 20 }), { maxKeys: 20 }), (given) => {
        const text = Object.entries(given)
          .map(([name, value]) => `${name} ${base64(value)}`)
          .join(',');
        fc.pre(
          text.length <= metadataLengthMax &&
            Object.values(given).every((value) => Buffer.from(value).toString() === value),
        );
        expect(Object.fromEntries(parseMetadata(text))).toEqual({ ...given });
      }),
    );
  });
});
