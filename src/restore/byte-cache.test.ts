import { describe, expect, it } from 'vitest';
import { ByteCache } from './byte-cache.ts';

describe('ByteCache', () => {
  it('drops what was used longest ago when the bound is met', () => {
    const cache = new ByteCache<string>(10);
    cache.set('a', 'A', 4);
    cache.set('b', 'B', 4);
    expect(cache.get('a')).toBe('A');
    cache.set('c', 'C', 4);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['A', undefined, 'C']);
    expect(cache.usedBytes).toBe(8);
  });

  it('replaces a value with its size, and keeps nothing larger than itself', () => {
    const cache = new ByteCache<string>(10);
    cache.set('a', 'A', 9);
    cache.set('a', 'AA', 3);
    expect([cache.get('a'), cache.usedBytes]).toEqual(['AA', 3]);
    cache.set('a', 'huge', 11);
    expect([cache.get('a'), cache.usedBytes]).toEqual([undefined, 0]);
    expect(new ByteCache<string>(0).get('a')).toBeUndefined();
  });
});
