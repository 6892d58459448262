import { expect, test } from 'vitest';
import { readBenchOptions } from './read-options.ts';

test('a series directory, bounds and files', () => {
  expect(readBenchOptions(['dir'])).toEqual({ seriesDirectory: 'dir', thresholds: [0.05], dtype: 'as-is', seeds: 1 });
  expect(
    readBenchOptions([
      'dir',
      '--metric',
      'accuracy,loss',
      '--threshold',
      '0.01,0.05',
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
    thresholds: [0.01, 0.05],
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
  [['a', '--threshold', 'x']],
  [['a', '--threshold', '0.1,0.2']],
  [['a', '--first', '0']],
  [['a', '--seeds', '1.5']],
  [['a', '--hysteresis', 'cheap']],
  [['a', '--dtype', 'fp8']],
  [['a', '--section', '../x']],
  [['a', '--colour']],
])('%j is refused', (args) => {
  expect(() => readBenchOptions(args)).toThrow();
});
