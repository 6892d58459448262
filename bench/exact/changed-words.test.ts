import { expect, test } from 'vitest';
import { changeBits, changeWords } from './changed-words.ts';

/** Position of a word in the order of numbers; both zeros are one. */
function place(word: number): number {
  return word & 0x8000 ? -(word & 0x7fff) : word;
}

test('so many words as asked for become a neighbour, both ways, and the same for the same seed', () => {
  const words = Uint16Array.from({ length: 20_000 }, (_, i) => (0x3c00 + ((i * 37) % 2048)) | ((i % 2) << 15));
  for (const share of [0, 0.01, 0.15, 0.5, 1]) {
    const changed = changeWords(words, { dtype: 'BF16', share, seed: 1 });
    const steps = Array.from(changed, (word, i) => place(word) - place(words[i]!));
    expect(steps.filter((step) => step !== 0)).toHaveLength(share * 20_000);
    expect(steps.every((step) => Math.abs(step) <= 1)).toBe(true);
    if (share > 0) expect(Math.abs(steps.filter((step) => step > 0).length / (share * 20_000) - 0.5)).toBeLessThan(0.1);
    expect(changeWords(words, { dtype: 'BF16', share, seed: 1 })).toEqual(changed);
  }
  expect(changeWords(words, { dtype: 'BF16', share: 0.15, seed: 2 })).not.toEqual(
    changeWords(words, { dtype: 'BF16', share: 0.15, seed: 1 }),
  );
});

test.each([
  ['BF16', 0x7f7f],
  ['F16', 0x7bff],
] as const)('zeros and the largest finite numbers of %s stay finite and keep their sign', (dtype, largest) => {
  const changed = changeWords(Uint16Array.of(0, 0x8000, largest, 0x8000 | largest), { dtype, share: 1, seed: 1 });
  expect([...changed]).toEqual([1, 0x8001, largest - 1, 0x8000 | (largest - 1)]);
});

test('the entropy of places and directions', () => {
  expect(changeBits(0)).toBe(0);
  expect(changeBits(0.5)).toBe(1.5);
  expect(changeBits(1)).toBe(1);
});
