import { describe, expect, it } from 'vitest';
import { parseGrant } from '../checkpoint/grant.ts';
import { anonymous, mayGrant, scopeOn, visibleTo } from './principal.ts';

const holding = (...grants: string[]) => ({ grants: grants.map(parseGrant) });

describe('scopeOn', () => {
  it.each([
    [['admin'], { namespace: 'a', name: 'b' }, 'admin'],
    [['write:a'], { namespace: 'a', name: 'b' }, 'write'],
    [['write:a/b'], { namespace: 'a', name: 'b' }, 'write'],
    [['read:a', 'write:a/b'], { namespace: 'a', name: 'b' }, 'write'],
    [['admin:a/b', 'read'], { namespace: 'a', name: 'b' }, 'admin'],
    [['read:a'], { namespace: 'ab', name: 'b' }, undefined],
    [['read:a/b'], { namespace: 'a', name: 'bc' }, undefined],
    [['read:A'], { namespace: 'a', name: 'b' }, undefined],
    [[], { namespace: 'a', name: 'b', visibility: 'private' }, undefined],
    [[], { namespace: 'a', name: 'b', visibility: 'public' }, 'read'],
    [['write:a/b'], { namespace: 'a', name: 'b', visibility: 'public' }, 'write'],
    [['admin:a/b'], { namespace: 'a' }, undefined],
    [['admin:a'], {}, undefined],
  ] as const)('%j on %j is %s', (grants, place, scope) => {
    expect(scopeOn(holding(...grants), place)).toBe(scope);
  });
});

describe('mayGrant', () => {
  it.each([
    [['admin'], ['admin'], true],
    [['admin:a'], ['admin:a', 'read:a/b'], true],
    [['admin:a'], ['read'], false],
    [['admin:a'], ['read:b'], false],
    [['admin:a/b'], ['read:a'], false],
    [['admin:a/b'], ['write:a/b'], true],
    [['write'], ['read'], false],
    [['admin:a', 'write:b'], ['read:a', 'read:b'], false],
  ])('who holds %j may make %j: %s', (held, granted, allowed) => {
    expect(mayGrant(holding(...held), granted.map(parseGrant))).toBe(allowed);
  });
});

describe('visibleTo', () => {
  it('is everything for a grant without a place, else the places', () => {
    expect(visibleTo(holding('read:a', 'read'))).toBe('all');
    expect(visibleTo(holding('read:a', 'write:b/c'))).toEqual({
      namespaces: ['a'],
      repositories: [{ namespace: 'b', name: 'c' }],
    });
    expect(visibleTo(anonymous)).toEqual({ namespaces: [], repositories: [] });
  });
});
