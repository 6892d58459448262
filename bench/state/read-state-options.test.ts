import { expect, test } from 'vitest';
import { readStateOptions } from './read-state-options.ts';

test('a series is all that is needed', () => {
  expect(readStateOptions(['lm'])).toEqual({
    seriesDirectory: 'lm',
    threshold: 0.005,
    seeds: 3,
    parallel: 2,
    steps: 480,
    trainArguments: [],
  });
});

test('training may be left out, and reports be written', () => {
  expect(
    readStateOptions(['lm', '--seeds', '0', '--threshold', '0.01', '--into', 'a.md', '--json', 'a.json']),
  ).toMatchObject({
    seeds: 0,
    threshold: 0.01,
    into: { path: 'a.md', section: 'state' },
    jsonPath: 'a.json',
  });
});

test.each([
  [['a', 'b']],
  [['a', '--threshold', '-1']],
  [['a', '--seeds', '1.5']],
  [['a', '--parallel', '0']],
  [['a', '--steps', '']],
  [['a', '--colour']],
])('%j is refused', (args: string[]) => {
  expect(() => readStateOptions(args)).toThrow();
});
