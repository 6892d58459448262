import { describe, expect, it } from 'vitest';
import { formatGrant, includesScope, parseGrant } from './grant.ts';

describe('grants', () => {
  it.each([
    ['admin', { scope: 'admin' }],
    ['read:acme', { scope: 'read', namespace: 'acme' }],
    ['write:acme/lm-small', { scope: 'write', namespace: 'acme', repository: 'lm-small' }],
  ])('%s is read and written back', (text, grant) => {
    expect(parseGrant(text)).toEqual(grant);
    expect(formatGrant(parseGrant(text))).toBe(text);
  });

  it.each([
    '',
    'owner',
    'read:',
    'read:/',
    'read:a/',
    'read:/b',
    'read:a/b/c',
    'read:a:b',
    'read:..',
    'read:a/../b',
    ' read',
    'READ',
    'read:*',
  ])('%j is refused', (text) => {
    expect(() => parseGrant(text)).toThrowError(expect.objectContaining({ code: 'invalid-request' }));
  });

  it('each scope holds all before it, and none nothing', () => {
    const held = (['read', 'write', 'admin', undefined] as const).map((scope) =>
      (['read', 'write', 'admin'] as const).map((needed) => includesScope(scope, needed)),
    );
    expect(held).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
      [false, false, false],
    ]);
  });
});
