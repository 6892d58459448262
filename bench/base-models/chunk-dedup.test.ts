import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentChunks, newChunkBytes } from './chunk-dedup.ts';

/** Bytes without any pattern. */
function noise(length: number, seed: number): Uint8Array {
  let state = seed >>> 0;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

test('chunks are 64 KiB long on average, whatever the bytes', () => {
  const lengths = [...contentChunks(noise(8 * 1024 * 1024, 1)).values()];
  expect(Math.max(...lengths)).toBeLessThanOrEqual(128 * 1024);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  expect(mean).toBeGreaterThan(48 * 1024);
  expect(mean).toBeLessThan(80 * 1024);
});

test('a file takes nothing beside itself, all of itself beside another, and little after an insertion', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400_000 }), fc.nat(1000), (length, seed) => {
      const bytes = noise(length, seed);
      expect(newChunkBytes(bytes, bytes)).toBe(0);
      expect(newChunkBytes(bytes, noise(0, 1))).toBe(length);
      const shifted = Uint8Array.from([...noise(100, seed + 1), ...bytes]);
      expect(newChunkBytes(shifted, bytes)).toBeLessThanOrEqual(Math.min(shifted.length, 5 * 128 * 1024));
    }),
    { numRuns: 10 },
  );
});
