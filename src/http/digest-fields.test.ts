import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirnError } from '../checkpoint/firn-error.ts';
import { formatDigest, parseDigest } from './digest-fields.ts';

const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const emptyField = 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:';

describe('digest fields', () => {
  it('spells a digest as RFC 9530 does', () => {
    expect(formatDigest(emptySha256)).toBe(emptyField);
    expect(parseDigest(emptyField)).toBe(emptySha256);
  });

  it.each([
    [undefined, undefined],
    ['sha-512=:AAAA:', undefined],
    ['md5=:AAAA:, crc32c=:AAAA:', undefined],
    [`sha-512=:AAAA:, ${emptyField}`, emptySha256],
    [`  ${emptyField}  ,  unixsum=30637`, emptySha256],
  ])('reads %s', (field, expected) => {
    expect(parseDigest(field)).toBe(expected);
  });

  it.each(['sha-256=', 'sha-256=:AAAA:', 'sha-256=abc', `sha-256=${emptySha256}`, 'sha-256=:!!!!:'])('refuses %s', (field) => {
    expect(() => parseDigest(field)).toThrow(FirnError);
  });

  it('reads back every digest and survives any text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const hex = Buffer.from(bytes).toString('hex');
        expect(parseDigest(formatDigest(hex))).toBe(hex);
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseDigest(text);
        } catch (error) {
          expect(error).toBeInstanceOf(FirnError);
        }
      }),
    );
  });
});
