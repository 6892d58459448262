import { expect, test } from 'vitest';
import { BlockMemory } from './block-memory.ts';

test('memory given back is used for the next block of its size, memory in use never', () => {
  const memory = new BlockMemory();
  const first = memory.take(8);
  const second = memory.take(8);
  expect(second).not.toBe(first);
  memory.give(first);
  expect(memory.take(16)).toHaveLength(16);
  expect(memory.take(8)).toBe(first);
  expect(memory.take(8)).not.toBe(first);
});

test('what was not taken here is not given away again', () => {
  const memory = new BlockMemory();
  const foreign = new Uint8Array(8);
  memory.give(foreign);
  expect(memory.take(8)).not.toBe(foreign);
  const taken = memory.take(4);
  memory.give(taken);
  memory.give(taken);
  expect(memory.take(4)).toBe(taken);
  expect(memory.take(4)).not.toBe(taken);
});

test('a part of the memory gives back all of it, once', () => {
  const memory = new BlockMemory();
  const taken = memory.take(8);
  memory.give(taken.subarray(2, 4));
  memory.give(taken);
  expect(memory.take(8)).toBe(taken);
  expect(memory.take(8)).not.toBe(taken);
});

test('of too many unused blocks, the last given back are kept', () => {
  const memory = new BlockMemory(2);
  const taken = [memory.take(1), memory.take(2), memory.take(3)];
  for (const each of taken) memory.give(each);
  expect(memory.take(3)).toBe(taken[2]);
  expect(memory.take(2)).toBe(taken[1]);
  expect(memory.take(1)).not.toBe(taken[0]);
});
