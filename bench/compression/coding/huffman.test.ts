import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BitReader } from './bit-reader.ts';
import { BitWriter } from './bit-writer.ts';
import { codeLengths, countSymbols, huffmanBits, readHuffman, writeHuffman } from './huffman.ts';

describe('Huffman coding', () => {
  test('a worked example: counts 4, 2, 1, 1 take 1, 2, 3 and 3 bits', () => {
    const counts = new Map([
      [7, 4],
      [8, 2],
      [9, 1],
      [10, 1],
    ]);
    expect([...codeLengths(counts)].sort(([a], [b]) => a - b)).toEqual([
      [7, 1],
      [8, 2],
      [9, 3],
      [10, 3],
    ]);
    // Table: a count, and for each symbol a difference and a length; then 4 * 1 + 2 * 2 + 3 + 3 bits.
    expect(huffmanBits(counts)).toBe(8 + 4 * (8 + 5) + 14);
  });

  test('a single symbol takes a table and nothing else', () => {
    expect(huffmanBits(new Map([[3, 1000]]))).toBe(8 + 8 + 5);
  });

  test('what is written comes back, and takes as many bits as were counted', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -300, max: 300 }), { minLength: 1, maxLength: 400 }), (symbols) => {
        const writer = new BitWriter();
        writeHuffman(writer, symbols);
        expect(writer.writtenBits).toBe(huffmanBits(countSymbols(symbols)));
        expect([...readHuffman(new BitReader(writer.finish()), symbols.length)]).toEqual(symbols);
      }),
    );
  });

  test('no prefix code is shorter: within one bit a symbol of the entropy, and complete', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 40 }), (weights) => {
        const counts = new Map(weights.map((weight, symbol) => [symbol, weight]));
        const lengths = [...codeLengths(counts).values()];
        expect(lengths.reduce((sum, length) => sum + 2 ** -length, 0)).toBeCloseTo(1, 12);
      }),
    );
  });
});
