import { describe, expect, it } from 'vitest';
import { IndexTarget, mutate, readCorpus } from './package-index.ts';
import { seededRandom } from './safetensors-header.ts';

describe.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] as const)(
  'the package index decoder, of format version %i',
  (version) => {
    const target = new IndexTarget(version);

    // A corpus file is named `<outcome>.<description>`.
    it.each(readCorpus(version))('says of $name what its name says', ({ name, bytes }) => {
      expect(target.check(bytes)).toBe(name.split('.')[0]);
    });

    it('keeps its promises over 5000 mutated indexes', () => {
      const random = seededRandom(20_240_802);
      const corpus = readCorpus(version).map(({ bytes }) => bytes);
      const seen = new Map<string, number>();
      for (let i = 0; i < 5000; i++) {
        const said = target.check(mutate(corpus, random, version));
        seen.set(said, (seen.get(said) ?? 0) + 1);
      }
      expect(seen.get('accepted')).toBeGreaterThan(50);
      expect(seen.get('corrupt-package')).toBeGreaterThan(1000);
    });
  },
);
