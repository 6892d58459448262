import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signUpload, type UploadGrant, verifyUpload } from './upload-address.ts';

const secret = '0123456789abcdef0123456789abcdef';
const grant: UploadGrant = {
  repositoryId: 'a'.repeat(32),
  sha256: 'b'.repeat(64),
  sizeBytes: 1234,
  tokenId: 'token-1',
  expiresAtSeconds: 2_000_000_000,
};
const now = { secret, nowSeconds: 1_999_999_999 };

/** Any but halves of surrogate pairs, which a query cannot hold. */
const character = fc.nat(0xd7ff).map((code) => String.fromCharCode(code));

function verify(query: string, place: Pick<UploadGrant, 'repositoryId' | 'sha256'> = grant, when = now) {
  return verifyUpload(place, new URLSearchParams(query), when);
}

describe('a signed upload address', () => {
  it('gives back what was signed', () => {
    const text = fc.string({ unit: character, maxLength: 20 });
    fc.assert(
      fc.property(
        text,
        text,
        fc.option(fc.stringMatching(/^[1-9a-z][0-9a-z]{0,8}$/), { nil: undefined }),
        fc.integer({ min: 0, max: 1e15 }),
        (secretText, tokenId, part, sizeBytes) => {
          const signed = { ...grant, tokenId, sizeBytes, ...(part !== undefined && { part }) };
          expect(verify(signUpload(signed, secretText), signed, { ...now, secret: secretText })).toEqual(signed);
        },
      ),
    );
  });

  it('is refused once it has expired, and not before', () => {
    const query = signUpload(grant, secret);
    for (const [nowSeconds, isValid] of [
      [1_999_999_999.9, true],
      [2_000_000_000, false],
      [2_000_000_001, false],
    ] as const)
      expect(verify(query, grant, { secret, nowSeconds }) !== undefined).toBe(isValid);
  });

  it('is refused with any character altered, left out or doubled', () => {
    for (const signed of [grant, { ...grant, part: '12' }]) {
      const query = signUpload(signed, secret);
      for (let at = 0; at < query.length; at++) {
        const others = ['0', '1', 'f', 'A', '%', '&', '=', '+', 'é', '漢', '\u0000', ''];
        for (const other of [...others, query[at]! + query[at]!]) {
          if (other === query[at]) continue;
          const altered = query.slice(0, at) + other + query.slice(at + 1);
          // Another spelling of the same values is the same address.
          if (new URLSearchParams(altered).toString() === query) continue;
          const found = verify(altered);
          // A value that is never read, such as a second `&`, may change; what is granted may not.
          if (found !== undefined) expect(found, altered).toEqual(signed);
          if (other !== '&' && other !== '&&') expect(found, altered).toBeUndefined();
        }
      }
    }
  });

  it('is refused for another repository, another digest, another secret', () => {
    const query = signUpload(grant, secret);
    expect(verify(query)).toEqual(grant);
    expect(verify(query, { ...grant, repositoryId: 'c'.repeat(32) })).toBeUndefined();
    expect(verify(query, { ...grant, sha256: 'c'.repeat(64) })).toBeUndefined();
    expect(verify(query, grant, { ...now, secret: `${secret}0` })).toBeUndefined();
    expect(verify(signUpload({ ...grant, part: '1' }, secret).replace('part=1', 'part='))).toBeUndefined();
  });

  it('is refused without any error, whatever its query says', () => {
    const key = fc.constantFrom('size', 'part', 'by', 'expires', 'signature', 'x');
    const value = fc.oneof(
      fc.string({ unit: character, maxLength: 70 }),
      fc.constantFrom('1e3', '-1', '0x10', ' 1', '1234', '2000000000', '9'.repeat(40), 'é'.repeat(64), 'f'.repeat(64)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(key, value), { maxLength: 8 }), (pairs) => {
        expect(verify(new URLSearchParams(pairs).toString())).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});
