import { expect, it } from 'vitest';
import { flipBits } from './flip-bits.ts';
import { flipHubBits } from './flip-hub-bits.ts';

it(
  'a flipped bit is never served, and the scrubber names its object and everything that cannot be read',
  { timeout: 180_000 },
  async () => {
    const report = await flipBits({ flips: 25, seed: 3 });
    expect(report.problems).toEqual([]);
    expect(report).toMatchObject({ flips: 25, foundByScrubber: 25, wrongReads: 0 });
    expect(report.refused).toBeGreaterThan(0);
    expect(Object.keys(report.flipsByKind).sort()).toEqual(['blobs', 'evalsets', 'packages', 'staged', 'xorbs']);
  },
);

it('a flipped bit never reaches a hub client, and never gets into a file', { timeout: 180_000 }, async () => {
  const report = await flipHubBits({ flips: 16, seed: 3 });
  expect(report.problems).toEqual([]);
  expect(report.flipsByKind).toEqual({ blobs: 4, packages: 4, part: 4, xorb: 4 });
  expect(report.refused).toBeGreaterThan(8);
});
