import { expect, test } from 'vitest';
import type { KeptMoves } from '../../../native/core.ts';
import { MovesMemory } from './moves-memory.ts';

/** Moves that tell when they are given back. */
function moves(memoryBytes: number): KeptMoves & { released: boolean } {
  return {
    memoryBytes,
    released: false,
    release() {
      this.released = true;
    },
  };
}

test('moves are kept while there is room, and given back where there is none', () => {
  const shelf = new MovesMemory(10).take();
  const [first, second, third] = [moves(6), moves(6), moves(4)];
  shelf.set('a', first);
  shelf.set('b', second);
  expect(shelf.hasRoom).toBe(true);
  shelf.set('c', third);
  expect([shelf.get('a'), shelf.get('b'), shelf.get('c')]).toEqual([first, undefined, third]);
  expect([first.released, second.released, third.released]).toEqual([false, true, false]);
  expect(shelf.hasRoom).toBe(false);
});

test('moves found again take the place of those before', () => {
  const shelf = new MovesMemory(10).take();
  const [first, second] = [moves(6), moves(8)];
  shelf.set('a', first);
  shelf.set('a', second);
  expect(shelf.get('a')).toBe(second);
  expect(first.released).toBe(true);
});

test('the form that comes last has all the room', () => {
  const memory = new MovesMemory(10);
  const before = memory.take();
  const old = moves(6);
  before.set('a', old);
  const shelf = memory.take();
  expect(old.released).toBe(true);
  expect([before.get('a'), before.hasRoom, shelf.hasRoom]).toEqual([undefined, false, true]);
  const late = moves(1);
  before.set('b', late);
  expect(late.released).toBe(true);
  const kept = moves(10);
  shelf.set('a', kept);
  memory.clear();
  expect(kept.released).toBe(true);
});
