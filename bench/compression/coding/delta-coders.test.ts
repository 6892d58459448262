import { describe, expect, test } from 'vitest';
import { cheapestDeltaBits, cyclicDelta, deltaBits, runLengthTokens } from './delta-coders.ts';
import { countSymbols, huffmanBits } from './huffman.ts';

describe("the paper's delta coders", () => {
  test('differences are cyclic in the larger bin count', () => {
    expect([...cyclicDelta({ previous: [0, 1, 2, 3], current: [1, 1, 0, 3], modulus: 4 })]).toEqual([3, 0, 2, 0]);
    expect([...cyclicDelta({ current: [1, 0, 3], modulus: 4 })]).toEqual([3, 0, 1]);
  });

  test('values are negated, and lengths of runs above one follow them', () => {
    expect(runLengthTokens([5, 5, 5, 2, 0, 0])).toEqual([-5, 3, -2, 0, 2]);
    expect(runLengthTokens([])).toEqual([]);
  });

  test('rearranging gives each previous bin a stream of its own', () => {
    const previous = [0, 1, 0, 1, 0, 1];
    const current = [0, 2, 0, 2, 0, 2];
    const stays = huffmanBits(countSymbols([0, 3]));
    const moves = huffmanBits(countSymbols([-2, 3]));
    expect(deltaBits('rearranged', { previous, current, modulus: 3 })).toBe(stays + moves);
    expect(deltaBits('run-length + Huffman', { previous, current, modulus: 3 })).toBe(
      huffmanBits(countSymbols([0, -2, 0, -2, 0, -2])),
    );
    expect(deltaBits('Huffman', { previous, current, modulus: 3 })).toBe(huffmanBits(countSymbols([0, 2, 0, 2, 0, 2])));
  });

  test('one table for alike codebooks, one each for unlike ones, whichever is less', () => {
    const still = { previous: new Array<number>(500).fill(1), current: new Array<number>(500).fill(1), modulus: 4 };
    const moving = {
      previous: Array.from({ length: 500 }, (_, i) => i % 4),
      current: Array.from({ length: 500 }, (_, i) => (i * 7 + (i >> 3)) % 4),
      modulus: 4,
    };
    const apart = deltaBits('Huffman', still) + deltaBits('Huffman', moving);
    expect(cheapestDeltaBits('Huffman', [still, moving])).toBe(apart);
    expect(cheapestDeltaBits('Huffman', [moving, moving])).toBeLessThan(2 * deltaBits('Huffman', moving));
  });
});
