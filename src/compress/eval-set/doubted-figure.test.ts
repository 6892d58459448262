import { expect, test } from 'vitest';
import { doubtedFigure } from './doubted-figure.ts';

const doubts = ['"loss" is 9, worse than guessing (2.3026 for guessing among 10 classes).'];

test('a figure that is doubted stores the checkpoint exact, and says how to allow it', () => {
  expect(doubtedFigure({ doubts, allowed: undefined, confirmed: false })).toMatch(/stored exact.*"allowDoubted": true/);
  expect(doubtedFigure({ doubts, allowed: false, confirmed: false })).toBeDefined();
});

test.each([
  { doubts: [], allowed: undefined, confirmed: false },
  { doubts, allowed: true, confirmed: false },
  { doubts, allowed: undefined, confirmed: true },
])(
  'nothing is distrusted without a doubt, if the eval set allows it, or if the training job measured the same: %j',
  (doubted) => {
    expect(doubtedFigure(doubted)).toBeUndefined();
  },
);
