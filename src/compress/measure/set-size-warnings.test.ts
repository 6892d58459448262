import { expect, test } from 'vitest';
import type { MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import type { MetricValues } from '../../checkpoint/quality/quality.ts';
import { setSizeWarnings } from './set-size-warnings.ts';

const loss: MetricSpec = { name: 'loss', kind: 'cross-entropy', output: 'logits', labels: 'y' };
const threshold = 0.01;

/** `groupCount` groups of 640 rows, whose loss of 2 grows by `change` and by nothing in turn. */
function warningsOf({ groupCount = 16, change = 0, standardErrors = 1 }): string[] {
  const groups = Array.from({ length: groupCount }, (_, at): MetricValues => ({ loss: 2 + (at % 2) * change }));
  return setSizeWarnings({
    bound: {
      spec: { inputs: {}, metrics: [loss] },
      thresholds: { loss: threshold },
      baseline: { loss: 2 },
      standardErrors,
      groupBaselines: groups.map(() => ({ loss: 2 })),
    },
    measured: { whole: { loss: 2 + change / 2 }, groups },
    measuredOn: 'cpu',
    rows: 640,
    understood: [],
    observed: { metrics: [], baseline: {} },
  });
}

/** The change whose standard error over 16 groups is the given share of the threshold. */
const changeFor = (share: number): number => share * threshold * 2 * 2 * Math.sqrt(15);

test('a standard error above half of its threshold is a warning that says how many rows it takes', () => {
  expect(warningsOf({ change: changeFor(0.49) })).toEqual([]);
  expect(warningsOf({ change: changeFor(0.75) })).toEqual([
    'The eval set is small for the threshold of "loss", 1 %: over its 640 rows the standard error is ' +
      '0.75 %, and what it takes of the threshold costs bytes. ' +
      'About 5800 rows would bring it down to 0.25 %.',
  ]);
  expect(warningsOf({ change: changeFor(0.3), standardErrors: 2 })).toEqual([
    expect.stringMatching(/About 3700 rows would bring it down to 0\.13 %/),
  ]);
});

test('too few groups, and groups without a finite value, are warnings', () => {
  expect(warningsOf({ groupCount: 7 })).toEqual([
    expect.stringMatching(/640 rows in 7 groups, and that takes 8 groups/),
  ]);
  expect(warningsOf({ change: Number.NaN })).toEqual([expect.stringMatching(/"loss" .* cannot be told/)]);
});

test('nothing is said where no standard error is asked for', () => {
  for (const groupCount of [0, 16])
    expect(warningsOf({ groupCount, change: changeFor(3), standardErrors: 0 })).toEqual([]);
});
