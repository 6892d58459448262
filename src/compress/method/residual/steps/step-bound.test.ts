import { describe, expect, test } from 'vitest';
import { resumptionBefore, resumptionHere, type Resumption } from '../../../ancestor/resumed-training.ts';
import { stepBound } from './step-bound.ts';

const usual: Resumption = resumptionBefore({ loss: 0.01 }, []);

describe('stepBound', () => {
  test('a step grows by a quarter of an octave at most, from the checkpoint before, that of a base by a whole one', () => {
    expect(stepBound({ lastStep: -10, ancestorStep: -30, resumption: usual })).toBe(-2);
    expect(stepBound({ lastStep: -10, ancestorStep: -30, resumption: undefined })).toBe(-2);
    expect(stepBound({ lastStep: -10, ancestorStep: undefined, resumption: usual })).toBe(22);
    expect(stepBound({ lastStep: undefined, ancestorStep: undefined, resumption: usual })).toBeUndefined();
  });

  test('where training was resumed it is three times what the weights moved', () => {
    const here = resumptionHere(usual, 1 / 12, 0.3);
    expect(here.here).toBe(true);
    expect(stepBound({ lastStep: 0, ancestorStep: 0, resumption: here })).toBe(-64);
    expect(stepBound({ lastStep: 0, ancestorStep: 0, resumption: { ...here, threshold: 0.16 } as Resumption })).toBe(0);
  });

  test('weights that did not move at all leave the step alone', () => {
    expect(stepBound({ lastStep: 0, ancestorStep: 7, resumption: resumptionHere(usual, 0, 0.3) })).toBe(8);
  });

  test('later it grows with the ancestor alone, and a base has any', () => {
    const before: Resumption = { ...usual, before: true };
    expect(stepBound({ lastStep: 40, ancestorStep: 7, resumption: before })).toBe(8);
    expect(stepBound({ lastStep: 40, ancestorStep: undefined, resumption: before })).toBeUndefined();
  });
});

describe('resumptionHere', () => {
  test.each([
    [0.29, 0.29, false],
    [0.27, 0.29, false],
    [0.25, 0.29, true],
    [undefined, 0.29, false],
    [0.1, undefined, false],
  ])('drift %s where rounding left %s: %s', (drift, error, here) => {
    expect(resumptionHere(usual, drift, error).here).toBe(here);
  });
});
