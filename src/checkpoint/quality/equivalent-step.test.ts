import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equivalentStep, type EquivalentStep, type StepValue } from './equivalent-step.ts';
import type { MetricKind } from './metric-kind.ts';

const curve = (...values: readonly number[]): StepValue[] => values.map((value, i) => ({ step: 100 * (i + 1), value }));
const at = (step: number): EquivalentStep => ({ step, beforeFirst: false });
const before = (step: number): EquivalentStep => ({ step, beforeFirst: true });
const { NaN: nan, POSITIVE_INFINITY: infinite } = Number;

interface Case {
  readonly uploads: readonly StepValue[];
  readonly rebuilt: readonly [step: number, value: number];
  readonly kind?: MetricKind;
  readonly is: EquivalentStep | undefined;
}

const cases: Readonly<Record<string, Case>> = {
  'a loss between two uploads is on the line between them': {
    uploads: curve(5, 4, 3),
    rebuilt: [300, 3.25],
    is: at(275),
  },
  'a loss may go back further than one upload': { uploads: curve(5, 4, 3.5, 3), rebuilt: [400, 4.5], is: at(150) },
  'an accuracy is better when it is higher': {
    uploads: curve(0.2, 0.6, 0.9),
    rebuilt: [300, 0.7],
    kind: 'accuracy',
    is: at(200 + 100 / 3),
  },
  'better than its own upload': { uploads: curve(5, 4, 3), rebuilt: [300, 2.9], is: at(300) },
  'equal to its own upload': { uploads: curve(5, 4, 3), rebuilt: [300, 3], is: at(300) },
  'equal to an earlier upload': { uploads: curve(5, 4, 3), rebuilt: [300, 4], is: at(200) },
  'equal to the first upload': { uploads: curve(5, 4, 3), rebuilt: [300, 5], is: at(100) },
  'worse than the first upload': { uploads: curve(5, 4, 3), rebuilt: [300, 5.1], is: before(100) },
  'one upload, and worse than it': { uploads: curve(5), rebuilt: [100, 5.1], is: before(100) },
  'one upload, and as good': { uploads: curve(5), rebuilt: [100, 5], is: at(100) },
  'a curve that goes up and down: the last crossing counts': {
    uploads: curve(5, 4, 4.6, 4.2),
    rebuilt: [400, 4.5],
    is: at(325),
  },
  'a curve that goes up and down: an upload beyond the value ends the way back': {
    uploads: curve(4.4, 5, 4),
    rebuilt: [300, 4.5],
    is: at(250),
  },
  'a plateau at the value: its last step': { uploads: curve(5, 4, 4, 3), rebuilt: [400, 4], is: at(300) },
  'a curve that gets worse: better than its upload, whatever came before': {
    uploads: curve(3, 4),
    rebuilt: [200, 3.9],
    is: at(200),
  },
  'a curve that gets worse: all before were better': { uploads: curve(3, 4), rebuilt: [200, 4.1], is: before(100) },
  'later steps are left out': { uploads: curve(5, 4, 4.9), rebuilt: [200, 4.5], is: at(150) },
  'uploads in any order': { uploads: curve(5, 4, 3).reverse(), rebuilt: [300, 3.25], is: at(275) },
  'steps at uneven distances': {
    uploads: [
      { step: 90, value: 5 },
      { step: 1170, value: 4 },
    ],
    rebuilt: [1170, 4.25],
    is: at(900),
  },
  'an upload that is not finite is passed over': {
    uploads: curve(5, nan, infinite, 4),
    rebuilt: [400, 4.5],
    is: at(250),
  },
  'a first upload that is not finite is not the first': {
    uploads: curve(nan, 4, 3),
    rebuilt: [300, 4.5],
    is: before(200),
  },
  'a rebuilt value that is not a number': { uploads: curve(5, 4), rebuilt: [200, nan], is: undefined },
  'a rebuilt value that is infinite': { uploads: curve(5, 4), rebuilt: [200, infinite], is: undefined },
  'an own upload that is not finite': { uploads: curve(5, nan), rebuilt: [200, 4.5], is: undefined },
  'an own upload that is not there': { uploads: curve(5, 4), rebuilt: [250, 4.5], is: undefined },
  'no upload': { uploads: [], rebuilt: [200, 4.5], is: undefined },
  'a divergence from the uploaded model itself': {
    uploads: curve(0, 0),
    rebuilt: [200, 0.1],
    kind: 'kl-divergence',
    is: undefined,
  },
  'an agreement with the uploaded model itself': {
    uploads: curve(1, 1),
    rebuilt: [200, 0.9],
    kind: 'agreement',
    is: undefined,
  },
};

describe('as good as which step', () => {
  test.each(Object.entries(cases))('%s', (_, { uploads, rebuilt: [step, value], kind = 'cross-entropy', is }) => {
    const found = equivalentStep(uploads, { step, value }, kind);
    if (is === undefined) expect(found).toBeUndefined();
    else expect(found).toEqual({ step: expect.closeTo(is.step, 9), beforeFirst: is.beforeFirst });
  });

  test('it is never beyond its own step, never before the first, and the line there has the value', () => {
    const values = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        values,
        fc.double({ min: -11, max: 11, noNaN: true }),
        fc.constantFrom<MetricKind>('loss', 'accuracy'),
        (list, value, kind) => {
          const uploads = curve(...list);
          const own = uploads.at(-1)!;
          const { step, beforeFirst } = equivalentStep(uploads, { step: own.step, value }, kind)!;
          expect(step).toBeGreaterThanOrEqual(100);
          expect(step).toBeLessThanOrEqual(own.step);
          if (beforeFirst) expect(step).toBe(100);
          if (beforeFirst || step === own.step) return;
          const left = uploads.findLast((upload) => upload.step <= step)!;
          const right = uploads.find((upload) => upload.step >= step)!;
          const share = left === right ? 0 : (step - left.step) / (right.step - left.step);
          expect(left.value + share * (right.value - left.value)).toBeCloseTo(value, 6);
        },
      ),
    );
  });
});
