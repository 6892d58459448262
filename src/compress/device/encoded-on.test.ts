import { expect, test } from 'vitest';
import { encodedOn } from './encoded-on.ts';

test.each([
  ['cpu', { works: 0, failures: 0, afterLoss: 0 }],
  ['cuda', { works: 5, failures: 0, afterLoss: 0 }],
  ['mixed', { works: 5, failures: 1, afterLoss: 0 }],
  ['mixed', { works: 5, failures: 0, afterLoss: 3 }],
  ['cpu', { works: 0, failures: 1, afterLoss: 7 }],
] as const)('it is %s after %j', (expected, work) => {
  expect(encodedOn({ kind: 'cuda', deviceWork: () => work })).toBe(expected);
});

test('it is the processor without a device, and the emulated device by its name', () => {
  expect(encodedOn(undefined)).toBe('cpu');
  expect(encodedOn({ kind: 'emulated', deviceWork: () => ({ works: 1, failures: 0, afterLoss: 0 }) })).toBe('emulated');
});
