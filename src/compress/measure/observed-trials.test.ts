import { expect, test } from 'vitest';
import { observedTrials } from './observed-trials.ts';

const reading = (positions: number, classCount: number, output = 'logits') => ({
  ...{ counted: positions - 1, ignored: 1 },
  ...{ output, outputShape: [positions, classCount] },
});

test.each([
  ['a small vocabulary', 11e6, [reading(6144, 1024)], 5],
  ['a large one', 124e6, [reading(4096, 50_257)], 2],
  ['a large one of a small model', 2e6, [reading(4096, 16_384)], 1],
  ['two metrics of one output', 11e6, [reading(6144, 1024), reading(6144, 1024)], 5],
  ['two outputs', 11e6, [reading(6144, 1024), reading(6144, 1024, 'others')], 3],
  ['few positions', 2e6, [reading(128, 1024)], Infinity],
  ['nothing that was read', 11e6, [], Infinity],
])('trials that measure all observed metrics, with %s', (_, weights, readings, trials) => {
  expect(observedTrials(weights, readings)).toBe(trials);
});
