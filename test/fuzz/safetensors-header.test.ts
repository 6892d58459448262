import { describe, expect, it } from 'vitest';
import { checkInput, mutate, readCorpus, seededRandom } from './safetensors-header.ts';

describe('the safetensors header parser', () => {
  // A corpus file is named `<outcome>.<description>`; the outcome is an error code or "accepted".
  it.each(readCorpus())('says of $name what its name says', ({ name, bytes }) => {
    expect(checkInput(bytes)).toBe(name.split('.')[0]);
  });

  it('keeps its promises over 5000 mutated headers', () => {
    const random = seededRandom(20_240_801);
    const corpus = readCorpus().map(({ bytes }) => bytes);
    const seen = new Set<string>();
    for (let i = 0; i < 5000; i++) seen.add(checkInput(mutate(corpus, random)));
    expect(seen.size).toBeGreaterThanOrEqual(8);
  });
});
