import { degradationLimits, metricLimits } from '../../checkpoint/quality/degradation-limits.ts';
import type { DegradationLimits, MetricValues, QualityThresholds } from '../../checkpoint/quality/quality.ts';
import type { DemoRow } from './report/demo-row.ts';
import type { Series } from './read-series.ts';
import { seriesEvalSpec } from './series-eval-spec.ts';

type Measured = Pick<DemoRow, 'run' | 'step' | 'metricsBefore'>;

/** What the thresholds come to in a checkpoint of the demo. `lineage`: those it was trained through, in order. */
export function rowLimits(
  series: Series,
  thresholds: QualityThresholds,
  row: Measured,
  lineage: readonly Measured[],
): DegradationLimits {
  const { metrics } = seriesEvalSpec(series);
  const earlier = lineage
    .filter(({ run, step }) => run !== row.run || step !== row.step)
    .toReversed()
    .map(({ run, step, metricsBefore }) => ({ run, step, metrics: finite(metricsBefore) }));
  return degradationLimits(metricLimits({ metrics, thresholds, baseline: finite(row.metricsBefore), earlier }));
}

/** JSON has no NaN: values that are not finite are null. */
function finite(values: DemoRow['metricsBefore']): MetricValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? Number.NaN]));
}
