import { describe, expect, it } from 'vitest';
import { fuzz, readCorpus } from './fuzz-target.ts';
import { shardTarget } from './shard.ts';
import { xorbTarget } from './xorb.ts';

describe.each([
  ['xorb', xorbTarget],
  ['shard', shardTarget],
])('the %s reader', (_, target) => {
  // A corpus file is named `<outcome>.<description>`.
  it.each(readCorpus(target.corpus))('says of $name what its name says', ({ name, bytes }) => {
    expect(target.check(bytes)).toBe(name.split('.')[0]);
  });

  it('keeps its promises over 5000 mutated inputs', () => {
    const seen = fuzz(target, 20_240_803, (inputs) => inputs < 5000);
    expect(seen.get('accepted')).toBeGreaterThan(50);
    expect(seen.get('invalid-request')).toBeGreaterThan(1000);
  });
});
