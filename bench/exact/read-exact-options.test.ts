import { expect, test } from 'vitest';
import { readExactOptions } from './read-exact-options.ts';

test('a series directory, seconds and files', () => {
  expect(readExactOptions(['dir'])).toEqual({ seriesDirectory: 'dir', seconds: 1 });
  const args = 'dir --seconds 0.5 --only Firn,XOR --json a --markdown b --into c --section exact-x'.split(' ');
  expect(readExactOptions(args)).toEqual({
    seriesDirectory: 'dir',
    seconds: 0.5,
    only: ['Firn', 'XOR'],
    jsonPath: 'a',
    markdownPath: 'b',
    into: { path: 'c', section: 'exact-x' },
  });
});

test.each([
  [[]],
  [['a', 'b']],
  [['a', '--seconds', '0']],
  [['a', '--seconds', 'x']],
  [['a', '--section', '../x']],
  [['a', '--colour']],
])('%j is refused', (args) => {
  expect(() => readExactOptions(args)).toThrow();
});
