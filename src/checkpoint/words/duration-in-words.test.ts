import { expect, test } from 'vitest';
import { durationInWords } from './duration-in-words.ts';

test.each([
  [-5, '0 seconds'],
  [999, '0 seconds'],
  [1000, '1 second'],
  [119_999, '119 seconds'],
  [720_000, '12 minutes'],
  [7_199_999, '119 minutes'],
  [7_200_000, '2 hours'],
  [172_800_000, '2 days'],
])('%d ms are %s', (ms, words) => {
  expect(durationInWords(ms)).toBe(words);
});
