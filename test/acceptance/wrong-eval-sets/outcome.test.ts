import { describe, expect, test } from 'vitest';
import { refused, type Expected } from './mistake.ts';
import { isSilentlyWrong, type Outcome } from './outcome.ts';

const truth = { loss: 2 };
const wanted: readonly Expected[] = ['right', refused('eval-label-mismatch', /labels/), { warns: /shifted/ }];
const ready = (loss: number, ...warnings: string[]): Outcome => ({ baseline: { loss }, warnings, fidelity: 'lossy' });

describe('isSilentlyWrong', () => {
  test.each<[string, Outcome, boolean]>([
    ['a right figure', ready(2.0005), false],
    ['a wrong figure', ready(2.1), true],
    ['a figure that is not there', { baseline: {}, warnings: [], fidelity: 'lossy' }, true],
    ['a wrong figure with the warning of the row', ready(2.1, 'Labels look shifted by one.'), false],
    [
      'a wrong figure with a warning of something else',
      ready(2.1, 'Some tensors are kept exact.', 'None of the 4 configs tried stayed inside.'),
      true,
    ],
    ['a refusal', { stoppedAt: 'job', code: 'eval-label-mismatch', sentence: 'no' }, false],
  ])('%s', (_, outcome, expected) => {
    expect(isSilentlyWrong(outcome, { truth, expected: wanted })).toBe(expected);
  });

  test('without a truth every figure is wrong', () => {
    expect(isSilentlyWrong(ready(2), { expected: wanted })).toBe(true);
  });
});
