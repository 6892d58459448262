import { expect, test } from 'vitest';
import { readRestartOptions } from './read-restart-options.ts';

test('thresholds, seeds and restarts have defaults', () => {
  expect(readRestartOptions([])).toEqual({
    thresholds: [0.005, 0.01, 0.02, 0.05],
    without: [],
    progressThresholds: [],
    paperThresholds: [0.05],
    exact: false,
    states: ['exact'],
    seeds: 3,
    restarts: 10,
    parallel: 2,
    trainArguments: [],
    textPaths: [],
  });
});

test('a script of a series with its arguments, and nothing of the paper', () => {
  const args = [
    '--train-script',
    'train_lm.py',
    '--train-args',
    ' small  x',
    '--without',
    'weights,all',
    '--paper-threshold',
    '',
    '--into',
    'a.md',
    '--metric',
    'accuracy,loss',
    '--state',
    'bounded,fresh',
  ];
  expect(readRestartOptions(args)).toMatchObject({
    trainScript: 'train_lm.py',
    trainArguments: ['small', 'x'],
    without: ['weights', 'all'],
    paperThresholds: [],
    into: { path: 'a.md', section: 'restart' },
    metrics: ['accuracy', 'loss'],
    states: ['bounded', 'fresh'],
  });
});

test.each([
  [['--threshold', 'x']],
  [['--threshold', '0.1,0.1']],
  [['--progress', '-1']],
  [['--state', 'lossy']],
  [['--without', 'nothing']],
  [['--without', 'all,all']],
  [['--state', 'fresh,fresh']],
  [['--state', '']],
  [['--seeds', '0']],
  [['--restarts', '1.5']],
  [['stray']],
  [['--colour']],
])('%j is refused', (args) => {
  expect(() => readRestartOptions(args)).toThrow();
});
