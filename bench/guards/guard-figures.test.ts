import { expect, test } from 'vitest';
import { ourName, paperName } from '../compression/compare-methods.ts';
import type { CheckpointOutcome, MethodResult } from '../compression/method-result.ts';
import { guardFigures } from './guard-figures.ts';
import { bytesTable, guardsTable, otherMetricsTable } from './guard-table.ts';

const outcome: CheckpointOutcome = {
  step: 10,
  rawBytes: 4000,
  bytes: 900,
  knob: 'step 1.00',
  degradation: { loss: 0.004 },
  metricsBefore: { loss: 3 },
  metricsAfter: { loss: 3.012 },
  evaluations: 7,
  guards: {
    worstTensor: { name: 'a', relativeError: 0.4 },
    constantTensors: 0,
    divergence: 0.7,
    otherMetric: { name: 'accuracy', degradation: 0.01 },
    warned: false,
  },
  freshDegradation: { loss: 0.0049, accuracy: 0.2 },
};
const second: CheckpointOutcome = {
  ...outcome,
  step: 20,
  bytes: 100,
  metricsBefore: { loss: 2 },
  metricsAfter: { loss: 2.5 },
  evaluations: 2,
  movementLost: -0.1,
  guards: {
    worstTensor: { name: 'b', relativeError: 0.5 },
    constantTensors: 1,
    divergence: 0.9,
    otherMetric: { name: 'accuracy', degradation: 0.03 },
    warned: true,
  },
  freshDegradation: { loss: 0.0051, accuracy: 0.2 },
};
const exact: CheckpointOutcome = {
  ...outcome,
  step: 30,
  knob: 'exact',
  metricsBefore: { loss: 1.9 },
  metricsAfter: { loss: 1.9 },
  movementLost: 0.3,
  evaluations: 5,
  guards: { constantTensors: 0, warned: false },
  freshDegradation: { loss: 0, accuracy: 0 },
};
const run: MethodResult = { name: ourName, note: '', outcomes: [outcome, second, exact], alwaysAfresh: false };
const bound = { thresholds: { loss: 0.005 }, leading: { name: 'loss', kind: 'cross-entropy' } } as const;

test('figures of a run are the worst of its checkpoints, sums and means', () => {
  expect(guardFigures(run, bound)).toEqual({
    method: ourName,
    checkpointCount: 3,
    bytes: 1900,
    exactCount: 1,
    lag: { meanSteps: expect.closeTo((0 + 5 + 0) / 3, 6) as number, atLeast: true },
    evaluationsMean: 3.5,
    worstTensorError: 0.5,
    constantTensors: 1,
    movementLostMean: expect.closeTo(0.1, 12) as number,
    divergenceWorst: 0.9,
    otherMetricWorst: { name: 'accuracy', degradation: 0.03 },
    warnedCount: 1,
    fresh: { beyond: 1, worst: 0.0051 },
  });
});

test('a loss on fresh examples that is not finite is beyond the threshold', () => {
  const broken = { ...run, outcomes: [outcome, { ...second, freshDegradation: { loss: Number.NaN } }] };
  expect(guardFigures(broken, bound).fresh).toMatchObject({ beyond: 1 });
});

test('without fresh examples there are no figures of them', () => {
  const { freshDegradation: _unused, ...bare } = outcome;
  expect(guardFigures({ ...run, outcomes: [bare] }, bound)).not.toHaveProperty('fresh');
});

test('a checkpoint that was not compared is an error', () => {
  const { guards: _unused, ...bare } = outcome;
  expect(() => guardFigures({ ...run, outcomes: [bare] }, bound)).toThrow('Firn (residual)@10 was not compared');
});

test('tables have a row for each method, and Firn is compared with the paper', () => {
  const ours = guardFigures(run, bound);
  const rows = [{ series: 'gru', bound: 'loss 0.5 %', figures: [ours, { ...ours, method: paperName, bytes: 5700 }] }];
  expect(bytesTable(rows)).toContain('| gru | loss 0.5 % | Firn (residual) | 1,900 (1 exact) | 3.00 |');
  expect(bytesTable(rows)).toContain(`| gru | loss 0.5 % | ${paperName} | 5,700 (1 exact) |  |`);
  expect(guardsTable(rows)).toContain(
    '| gru | loss 0.5 % | Firn (residual) | 50 % | 1 | 10 % | 0.90 | 1 of 3 | 0.51 % |',
  );
  expect(otherMetricsTable(rows)).toContain('| accuracy | 3.00 % | 1 of 3 |');
});
