import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSeal } from './seal.ts';

const seal = createSeal('0123456789abcdef0123456789abcdef');

describe('createSeal', () => {
  it('gives back what was sealed, and shows nothing of it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 200 }), (text) => {
        const sealed = seal.seal(text);
        expect(seal.unseal(sealed)).toBe(text);
        expect(Buffer.from(sealed, 'base64url').includes(text)).toBe(false);
      }),
    );
  });

  it('opens nothing that was changed, nor what another hub sealed', () => {
    const sealed = Buffer.from(seal.seal('a token'), 'base64url');
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(sealed);
        changed[at]! ^= change;
        expect(seal.unseal(changed.toString('base64url'))).toBeUndefined();
      }),
    );
    expect(createSeal('another secret').unseal(sealed.toString('base64url'))).toBeUndefined();
  });

  it('reads any text without throwing', () => {
    fc.assert(fc.property(fc.string({ maxLength: 2000 }), (text) => void expect(seal.unseal(text)).toBeUndefined()));
  });

  it('proves a text for one secret alone', () => {
    expect(seal.prove('a')).toBe(seal.prove('a'));
    expect(seal.prove('a')).not.toBe(seal.prove('b'));
    expect(seal.prove('a')).not.toBe(createSeal('another secret').prove('a'));
  });
});
