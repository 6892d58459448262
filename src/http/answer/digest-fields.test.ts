import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { formatDigest, parseDigest } from './digest-fields.ts';

const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const emptySha512 = createHash('sha512').digest();
const emptyField512 = `sha-512=:${emptySha512.toString('base64')}:`;
const emptyField = 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:';

describe('digest fields', () => {
  it('spells a digest as RFC 9530 does', () => {
    expect(formatDigest(emptySha256)).toBe(emptyField);
    expect(parseDigest(emptyField)).toEqual({ sha256: emptySha256 });
  });

  it.each([
    [undefined, {}],
    [' ', {}],
    ['md5=:AAAA:, crc32c=:AAAA:', {}],
    [emptyField512, { sha512: emptySha512.toString('hex') }],
    [`${emptyField512}, ${emptyField}`, { sha256: emptySha256, sha512: emptySha512.toString('hex') }],
    [`sha-256=:AAAA:, ${emptyField};q=1`, { sha256: emptySha256 }],
    [`  ${emptyField}  ,  unixsum=30637`, { sha256: emptySha256 }],
  ])('reads %s', (field, expected) => {
    expect(parseDigest(field)).toEqual(expected);
  });

  it.each([
    'sha-256',
    'sha-512=:AAAA:',
    emptyField.replace('sha', 'SHA'),
    `${emptyField},`,
    '=:AAAA:',
    'sha-256=',
    'sha-256=:AAAA:',
    'sha-256=abc',
    `sha-256=${emptySha256}`,
    'sha-256=:!!!!:',
  ])('refuses %s', (field) => {
    expect(() => parseDigest(field)).toThrow(FirnError);
  });

  it('reads back every digest and survives any text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const hex = Buffer.from(bytes).toString('hex');
        expect(parseDigest(formatDigest(hex))).toEqual({ sha256: hex });
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
