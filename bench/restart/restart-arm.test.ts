import { expect, test } from 'vitest';
import { restartArms } from './restart-arm.ts';

test('ways to store that share a threshold have runs of their own, and names that a hub takes', () => {
  const arms = restartArms({
    ours: [0.01],
    without: ['rounding', 'all'],
    progress: [0.01],
    paper: [0.01],
    exact: true,
    states: ['exact'],
  });
  const runs = arms.map(({ run }) => run);
  expect(runs).toEqual([
    'exact',
    'residual-0-01',
    'residual-without-rounding-0-01',
    'residual-without-all-0-01',
    'residual-progress-0-01',
    'inshrinkerator-0-01',
  ]);
  expect(arms.map(({ progress }) => progress)).toEqual([undefined, undefined, undefined, undefined, 0.5, undefined]);
});

test('only bounded state is stored, so exact and fresh state restart from the same run', () => {
  const arms = restartArms({
    ours: [0.01],
    without: [],
    progress: [],
    paper: [],
    exact: false,
    states: ['exact', 'bounded', 'fresh'],
  });
  expect(arms.map(({ run, state }) => [run, state])).toEqual([
    ['residual-0-01', 'exact'],
    ['residual-0-01-bounded', 'bounded'],
    ['residual-0-01', 'fresh'],
  ]);
});
