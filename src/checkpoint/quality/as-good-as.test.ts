import { expect, test } from 'vitest';
import { asGoodAs, type MeasuredStep } from './as-good-as.ts';

const at = (step: number, before: number | null, after: number | null): MeasuredStep => ({
  step,
  metricsBefore: { loss: before },
  metricsAfter: { loss: after },
});
const loss = { name: 'loss', kind: 'cross-entropy' } as const;
const lineage = [at(100, 5, 5.2), at(200, 4, 4.5), at(300, 3, 3)];

test.each([
  ['behind its own step', lineage[1]!, { metric: 'loss', step: 150, beforeFirst: false, lagSteps: 50 }],
  ['not behind', lineage[2]!, { metric: 'loss', step: 300, beforeFirst: false, lagSteps: 0 }],
  ['worse than the first upload', at(200, 4, 6), { metric: 'loss', step: 100, beforeFirst: true, lagSteps: 100 }],
  ['not finite', at(200, 4, null), undefined],
])('%s', (_, checkpoint, found) => {
  expect(asGoodAs(checkpoint, lineage, loss)).toEqual(found);
});

test('an upload that is not finite is passed over', () => {
  expect(asGoodAs(lineage[2]!, [lineage[0]!, at(200, null, null), at(300, 3, 3)], loss)?.step).toBe(300);
  expect(asGoodAs(at(300, 3, 4), [lineage[0]!, at(200, null, null), at(300, 3, 4)], loss)?.step).toBe(200);
});

test('a metric that was not measured tells nothing', () => {
  expect(asGoodAs(lineage[1]!, lineage, { name: 'accuracy', kind: 'accuracy' })).toBeUndefined();
});
