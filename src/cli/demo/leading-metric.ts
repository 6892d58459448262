import type { Series } from './read-series.ts';
import type { LeadingMetric } from '../../checkpoint/quality/as-good-as.ts';
import { seriesEvalSpec } from './series-eval-spec.ts';

/** A metric of a series, with its direction. Throws as {@link seriesEvalSpec} does; the series must have the metric. */
export function leadingMetric(series: Series, name: string): LeadingMetric {
  return { name, kind: seriesEvalSpec(series).metrics.find((metric) => metric.name === name)!.kind };
}
