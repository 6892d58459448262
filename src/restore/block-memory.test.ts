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
