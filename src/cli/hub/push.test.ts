import { expect, test } from 'vitest';
import { refuseOtherMeasuring, type MeasuredRun, type PushCommand } from './push.ts';

const target = { namespace: 'me', name: 'gpt', run: 'train', step: 9 };
const lossy: MeasuredRun = {
  ...{ fidelity: 'lossy', evalSet: 'held-out', thresholds: { loss: 0.01 } },
  thresholdsInWords: ["loss may grow by at most 1 % of the uploaded checkpoint's"],
};
const exact: MeasuredRun = { fidelity: 'exact', thresholds: {}, thresholdsInWords: [] };

test.each<[MeasuredRun, Pick<PushCommand, 'evalSet' | 'threshold'>]>([
  [lossy, {}],
  [lossy, { evalSet: 'held-out', threshold: { loss: 0.01 } }],
  [exact, {}],
])('a push to the run %j with %j goes on', (run, options) => {
  expect(() => refuseOtherMeasuring(target, run, options)).not.toThrow();
});

test.each<[MeasuredRun, Pick<PushCommand, 'evalSet' | 'threshold'>, RegExp]>([
  [
    lossy,
    { evalSet: 'other' },
    /with the eval set held-out \(loss may .*firn runs edit me\/gpt\/train --eval-set other$/,
  ],
  [lossy, { evalSet: 'held-out', threshold: { loss: 0.02 } }, /firn runs edit me\/gpt\/train --threshold loss=0\.02$/],
  [exact, { evalSet: 'held-out' }, /^The run me\/gpt\/train is there already, and exact; .*: this one stays exact\.$/],
])('a push to the run %j with %j is refused, and says how to go on', (run, options, said) => {
  expect(() => refuseOtherMeasuring(target, run, options)).toThrow(said);
});
