import { describe, expect, test } from 'vitest';
import { elementsOver } from './feed-elements.ts';

describe('elementsOver', () => {
  test.each([0, 1, 2, 3])('reads elements %i bytes into a Node buffer, whose slice is no copy', (offset) => {
    // The memory of a new buffer is aligned; its parts may not be.
    const held = Buffer.from(new ArrayBuffer(offset + 8));
    held.set(new Uint8Array(Float32Array.of(1.5, -2).buffer), offset);
    expect([...(elementsOver(held.subarray(offset), 'F32') as Float32Array)]).toEqual([1.5, -2]);
  });

  test('copies nothing where the bytes are aligned', () => {
    const held = new Float32Array([1, 2]);
    expect(elementsOver(new Uint8Array(held.buffer), 'F32').buffer).toBe(held.buffer);
  });
});
