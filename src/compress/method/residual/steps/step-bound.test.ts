import { describe, expect, test } from 'vitest';
import { resumptionBefore, resumptionHere, type Resumption } from '../../../ancestor/resumed-training.ts';
import { startedStepBound, stepBound, tensorStepMax } from './step-bound.ts';

const usual: Resumption = resumptionBefore({ loss: 0.01 }, []);

describe('stepBound', () => {
  test('a step grows by at most a quarter of an octave from checkpoint to checkpoint', () => {
    const toNearest = false;
    expect(stepBound({ lastStep: -10, ancestorStep: -30, toNearest, resumption: usual })).toBe(-2);
    expect(stepBound({ lastStep: -10, ancestorStep: -30, toNearest, resumption: undefined })).toBe(-2);
    for (const rounded of [false, true]) {
      const bases = { ancestorStep: undefined, toNearest: rounded, resumption: usual };
      expect(stepBound({ ...bases, lastStep: -10 })).toBe(22);
      expect(stepBound({ ...bases, lastStep: undefined })).toBeUndefined();
    }
  });

  test('a step does not grow from the ancestor if weights are rounded to the nearest, in any tensor', () => {
    for (const resumption of [usual, undefined])
      expect(stepBound({ lastStep: -10, ancestorStep: -30, toNearest: true, resumption })).toBe(-30);
    // A tensor with a finer step than the ancestor's others keeps it while the common step falls from 20 to 10.
    expect(tensorStepMax({ shift: 0 }, 10, { stepCode: 300, scale: 20 })).toBe(310);
    // The unit is 16 times as fine.
    expect(tensorStepMax({ shift: 4 }, 20, { stepCode: 300, scale: 20 })).toBe(300 + 4 * 32);
  });

  test('it grows by at most an eighth of an octave where rounding follows how weights moved', () => {
    const basis = { lastStep: -10, ancestorStep: -30, toNearest: true, resumption: usual };
    expect(stepBound({ ...basis, follows: true })).toBe(-26);
    expect(stepBound({ ...basis, ancestorStep: undefined, follows: false })).toBe(22);
  });

  test('after resumed training, it is three times the movement of the weights', () => {
    const here = resumptionHere(usual, 1 / 12, 0.3);
    expect(here.here).toBe(true);
    expect(stepBound({ lastStep: 0, ancestorStep: 0, toNearest: true, resumption: here })).toBe(-64);
    expect(
      stepBound({
        lastStep: 0,
        ancestorStep: 0,
        toNearest: true,
        resumption: { ...here, threshold: 0.16 } as Resumption,
      }),
    ).toBe(0);
  });

  test('weights that did not move at all leave the step alone', () => {
    expect(
      stepBound({ lastStep: 0, ancestorStep: 7, toNearest: true, resumption: resumptionHere(usual, 0, 0.3) }),
    ).toBe(7);
  });

  test('later it is that of the ancestor, whatever the last one was, and a base has any', () => {
    const before: Resumption = { ...usual, before: true };
    expect(stepBound({ lastStep: 40, ancestorStep: 7, toNearest: true, resumption: before })).toBe(7);
    expect(stepBound({ lastStep: 40, ancestorStep: undefined, toNearest: true, resumption: before })).toBeUndefined();
  });
});

describe('startedStepBound', () => {
  test.each([
    ['nothing starts from exact weights', undefined, undefined],
    ['none of them moved', 0, undefined],
    ['they moved by a hundredth of a deviation', 0.01, -171],
    ['they moved by a deviation', 1, 42],
  ])('where %s', (_, movement, bound) => {
    expect(startedStepBound(movement)).toBe(bound);
  });
});

describe('resumptionHere', () => {
  test.each([
    [0.29, 0.29, false],
    [0.27, 0.29, false],
    [0.25, 0.29, true],
    [undefined, 0.29, false],
    [0.1, undefined, false],
  ])('drift %s with rounding error %s: %s', (drift, error, here) => {
    expect(resumptionHere(usual, drift, error).here).toBe(here);
  });
});
