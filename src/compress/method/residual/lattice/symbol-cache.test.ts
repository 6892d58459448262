import { expect, test } from 'vitest';
import type { CachedSymbols } from '../../../../native/core.ts';
import { SymbolCache } from './symbol-cache.ts';

/** Symbols that tell when they are given back. */
function symbols(memoryBytes: number): CachedSymbols & { released: boolean } {
  return {
    memoryBytes,
    released: false,
    release() {
      this.released = true;
    },
  };
}

test('symbols are kept while there is room, and given back where there is none', () => {
  const modelSymbols = new SymbolCache(10).take();
  const [first, second, third] = [symbols(6), symbols(6), symbols(4)];
  modelSymbols.set('a', first);
  modelSymbols.set('b', second);
  expect(modelSymbols.hasRoom).toBe(true);
  modelSymbols.set('c', third);
  expect([modelSymbols.get('a'), modelSymbols.get('b'), modelSymbols.get('c')]).toEqual([first, undefined, third]);
  expect([first.released, second.released, third.released]).toEqual([false, true, false]);
  expect(modelSymbols.hasRoom).toBe(false);
});

test('symbols found again take the place of those before', () => {
  const modelSymbols = new SymbolCache(10).take();
  const [first, second] = [symbols(6), symbols(8)];
  modelSymbols.set('a', first);
  modelSymbols.set('a', second);
  expect(modelSymbols.get('a')).toBe(second);
  expect(first.released).toBe(true);
});

test('the form that comes last has all the room', () => {
  const memory = new SymbolCache(10);
  const before = memory.take();
  const old = symbols(6);
  before.set('a', old);
  const modelSymbols = memory.take();
  expect(old.released).toBe(true);
  expect([before.get('a'), before.hasRoom, modelSymbols.hasRoom]).toEqual([undefined, false, true]);
  const late = symbols(1);
  before.set('b', late);
  expect(late.released).toBe(true);
  const kept = symbols(10);
  modelSymbols.set('a', kept);
  memory.clear();
  expect(kept.released).toBe(true);
});
