import { expect, test } from 'vitest';
import { methodLag } from './method-lag.ts';
import type { CheckpointOutcome, MethodResult } from '../method-result.ts';

const outcome = (step: number, before: number, after: number): CheckpointOutcome => ({
  step,
  rawBytes: 1000,
  bytes: 10,
  knob: '',
  degradation: {},
  metricsBefore: { loss: before },
  metricsAfter: { loss: after },
  evaluations: 1,
});
const method = (...outcomes: CheckpointOutcome[]): MethodResult => ({
  name: 'A',
  note: '',
  outcomes,
  alwaysAfresh: false,
});
const loss = { name: 'loss', kind: 'cross-entropy' } as const;

test('every checkpoint is read off the curve of the uploads before it', () => {
  const lag = methodLag(method(outcome(100, 5, 5.5), outcome(200, 4, 4.5), outcome(300, 3, 3.25)), loss);
  expect(lag).toMatchObject({ metric: 'loss', last: { step: 275, beforeFirst: false }, lastStep: 300, beforeFirst: 1 });
  expect(lag!.meanLagSteps).toBeCloseTo((0 + 50 + 25) / 3, 9);
});

test('a checkpoint stored exact is as good as its own step', () => {
  expect(methodLag(method(outcome(100, 5, 5), outcome(200, 4, 4)), loss)).toMatchObject({
    last: { step: 200 },
    meanLagSteps: 0,
  });
});

test('a last checkpoint without the metric tells nothing', () => {
  expect(methodLag(method(outcome(100, 5, 5), { ...outcome(200, 4, 4), metricsAfter: {} }), loss)).toBeUndefined();
});
