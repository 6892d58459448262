import { expect, test } from 'vitest';
import { besideNewRun, thresholdsOf } from './estimate.ts';

test('the note of an estimate says what it is about, and how to try a whole run', () => {
  const note = besideNewRun({ thresholds: { loss: 0.02 } }, 'held-out');
  expect(note).toMatch(/next to the chain that is stored; a whole new run .*may take less\. Equal columns/);
  expect(note).toMatch(/firn push NAMESPACE\/NAME\/NEW FOLDER --eval-set held-out --threshold loss=0\.02$/);
});

test('the thresholds of a checkpoint are its own, else what its result was held against', () => {
  const limits = { loss: { degradationMax: 0.01, boundBy: 'relative' as const } };
  const result = { limits } as unknown as NonNullable<Parameters<typeof thresholdsOf>[0]['result']>;
  expect(thresholdsOf({ result })).toBe('loss=0.01');
  expect(thresholdsOf({ thresholds: { loss: 0.02 }, result })).toBe('loss=0.02');
  expect(thresholdsOf({})).toBeUndefined();
});
