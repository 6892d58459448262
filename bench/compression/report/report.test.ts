import { expect, test } from 'vitest';
import type { CheckpointOutcome, MethodResult } from '../method-result.ts';
import { ratioChart } from './report-chart.ts';
import { comparisonText, markdownTable } from './report-table.ts';

const first: CheckpointOutcome = {
  step: 10,
  rawBytes: 1000,
  bytes: 100,
  knob: '8 bins',
  degradation: { loss: 0.02 },
  metricsBefore: { loss: 5 },
  metricsAfter: { loss: 5.1 },
  evaluations: 3,
  bins: { bytes: 60, boundBytes: 40 },
};
const second: CheckpointOutcome = {
  ...first,
  step: 20,
  bytes: 300,
  knob: 'exact',
  degradation: {},
  metricsBefore: { loss: 4 },
  metricsAfter: { loss: 4.25 },
  evaluations: 1,
  migration: 0.25,
  movementLost: 0.1,
  errorRatio: { pooled: 1.25, worst: 1.4, worstTensor: 'a' },
};
const ours: MethodResult = {
  name: 'A & B',
  note: 'note',
  outcomes: [first, second],
  encodeSeconds: 2e-6,
  alwaysAfresh: false,
};
const context = {
  series: 's',
  checkpointCount: 2,
  thresholds: { loss: 0.01 },
  metrics: ['loss'],
  leading: { name: 'loss', kind: 'cross-entropy' },
  rawBytes: 2000,
} as const;

test('a line has totals, worst and mean of each metric, and counts what was stored exact', () => {
  const line = markdownTable([ours], context).split('\n')[2];
  expect(line).toBe(
    '| A & B (note; 1 exact) | 400 | 5.00 | 17.5 of 20 | at least 1.3 | 2.00 % / 1.00 % | 1.25 ' +
      '(worst tensor 1.40) | 0.10 | 25.00 % | 1.0 / 1 | 1.0 GB/s | - | 1.50x |',
  );
});

test('a method that never builds on its own output has the error of quantizing afresh', () => {
  const line = markdownTable([{ ...ours, alwaysAfresh: true }], context).split('\n')[2]!;
  expect(line.split(' | ')[6]).toBe('1');
});

test('the chart holds one line a method, on an axis that contains every ratio', () => {
  const chart = ratioChart([ours, { ...ours, name: 'C' }], 'a < b');
  expect(chart.match(/<polyline/g)).toHaveLength(2);
  expect(chart).toContain('a &lt; b');
  expect(chart).toContain('A &amp; B: 5.0x');
  // 10x is the upper end of 2x..10x: the top of the plot.
  expect(chart).toMatch(/points="70\.0,50\.0 /);
});

test('a threshold of five per cent is marked as damaged, one of one per cent is not', () => {
  expect(comparisonText([ours], { ...context, thresholds: { loss: 0.05 } })).toContain(
    'Damaged: 5.00 % of loss is for comparison',
  );
  expect(comparisonText([ours], context)).not.toContain('Damaged');
});

test('a row without a step says why, and a row that rebuilds another one says which', () => {
  const unmeasured = { ...ours, name: 'C', outcomes: [first, { ...second, metricsAfter: { loss: null } }] };
  const text = comparisonText([ours, unmeasured, { ...ours, name: 'D', sameModelAs: ours.name }], context);
  expect(text).toContain('| C (note; 1 exact) | 400 | 5.00 | - | - |');
  expect(text).toContain('No step (-) for C: loss of the last checkpoint was not evaluated, or is not finite.');
  expect(text).toContain('Other coders of the bins of "A & B" rebuild its model bit for bit');
  expect(comparisonText([ours], context)).not.toContain('No step');
});

test('a comparison that is bounded by progress says so', () => {
  expect(comparisonText([ours], { ...context, progress: 0.5 })).toContain(
    'loss at most 1.00 % worse, and by at most 50.00 % of what was gained since the checkpoint before.',
  );
  expect(comparisonText([ours], context)).not.toContain('gained');
});
