import { expect, test } from 'vitest';
import { readBenchOptions } from './read-options.ts';

test('the default leads with what people use; what papers allow comes last', () => {
  expect(readBenchOptions(['dir'])).toEqual({
    seriesDirectory: 'dir',
    thresholds: [[0.005], [0.01], [0.05]],
    dtype: 'as-is',
    seeds: 1,
  });
});

test('a series directory, bounds of several comparisons, and files', () => {
  expect(
    readBenchOptions([
      'dir',
      '--metric',
      'accuracy,loss',
      '--threshold',
      '0.005,0.01',
      '--threshold',
      '0.01',
      '--json',
      'a',
      '--svg',
      'b',
      '--first',
      '3',
      '--seeds',
      '2',
      '--hysteresis',
      'priced',
      '--dtype',
      'bf16',
      '--only',
      'Firn,QD',
      '--into',
      'c',
    ]),
  ).toEqual({
    seriesDirectory: 'dir',
    metrics: ['accuracy', 'loss'],
    thresholds: [[0.005, 0.01], [0.01]],
    jsonPath: 'a',
    svgPath: 'b',
    first: 3,
    seeds: 2,
    hysteresis: 'priced',
    dtype: 'bf16',
    only: ['Firn', 'QD'],
    into: { path: 'c', section: 'compression' },
  });
});

test.each([
  [[]],
  [['a', 'b']],
  [['a', '--progress', '0']],
  [['a', '--progress', '2']],
  [['a', '--threshold', 'x']],
  [['a', '--threshold', '0.1,0.2']],
  [['a', '--threshold', '0.1', '--threshold', '-0.1']],
  [['a', '--metric', 'b,c', '--threshold', '0.1,0.2,0.3']],
  [['a', '--first', '0']],
  [['a', '--seeds', '1.5']],
  [['a', '--hysteresis', 'cheap']],
  [['a', '--dtype', 'fp8']],
  [['a', '--section', '../x']],
  [['a', '--colour']],
])('%j is refused', (args) => {
  expect(() => readBenchOptions(args)).toThrow();
});
