import { expect, test } from 'vitest';
import { defaultSearchOptions } from '../../../checkpoint/options/search-options.ts';
import { codebookSeed } from './codebook-seed.ts';

const seed = '18446744073709551615';
const fixed = { seed, search: defaultSearchOptions };
const { codebookSeed: _, ...beforeThereWasAChoice } = defaultSearchOptions;
const fresh = { seed, search: { ...defaultSearchOptions, codebookSeed: 'checkpoint' } } as const;

test("is the run's for every checkpoint unless each is to have its own", () => {
  for (const search of [defaultSearchOptions, beforeThereWasAChoice])
    for (const sequence of [0, 1, 7]) expect(codebookSeed({ seed, search }, { sequence })).toBe(2n ** 64n - 1n);
});

test('is another 64 bit number for each checkpoint, and the same when that is encoded again', () => {
  const seeds = Array.from({ length: 1000 }, (_, sequence) => codebookSeed(fresh, { sequence }));
  expect(new Set([...seeds, codebookSeed(fixed, { sequence: 0 })]).size).toBe(1001);
  expect(seeds.every((each) => each >= 0n && each < 2n ** 64n)).toBe(true);
  expect(codebookSeed(fresh, { sequence: 3 })).toBe(seeds[3]);
  expect(codebookSeed({ ...fresh, seed: '1' }, { sequence: 3 })).not.toBe(seeds[3]);
});
