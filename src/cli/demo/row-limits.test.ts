import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readSeries } from './read-series.ts';
import { rowLimits } from './row-limits.ts';

const series = readSeries(fileURLToPath(new URL('../../../examples/lm-small', import.meta.url)));
const row = (run: string, step: number, loss: number | null) => ({ run, step, metricsBefore: { loss } });

test('the limits of a checkpoint follow from the uploads of its lineage, the last of them first', () => {
  const thresholds = { loss: { relative: 0.005, progress: 0.5 } };
  const lineage = [row('train', 900, 3), row('train', 990, 2.008), row('resumed', 1080, null)];
  const own = row('resumed', 1170, 2);
  expect(rowLimits(series, thresholds, own, [...lineage, own])['loss']).toBeCloseTo(0.002, 12);
  expect(rowLimits(series, thresholds, own, [])).toEqual({ loss: 0.005 });
  expect(rowLimits(series, { loss: 0.01 }, own, lineage)).toEqual({ loss: 0.01 });
});
