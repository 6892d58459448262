import type { MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import {
  isDivergence,
  metricKindRules,
  readsClasses,
  type ComparedWith,
} from '../../checkpoint/quality/metric-kind.ts';
import type { DegradationLimits, MetricValues } from '../../checkpoint/quality/quality.ts';

export interface DivergenceBasis {
  /** Metrics of the eval set and observed ones. */
  readonly metrics: readonly MetricSpec[];
  /** What the thresholds come to. */
  readonly thresholds: DegradationLimits;
  /** Of all these metrics, on the uploaded weights. */
  readonly baseline: MetricValues;
  /** `SearchOptions.divergenceMax`. */
  readonly divergenceMax: number;
}

/**
 * How far the outputs of a rebuilt model may be from the uploaded model's, by the name of the metric that measures it:
 * `divergenceMax` times what the threshold lets the loss of that output grow. The loss is the cross-entropy for outputs
 * that are classes, whose divergence is Kullback and Leibler's, and the mean squared error for real values, whose
 * divergence is their mean squared difference. Both are what the loss grows by on average, if the examples are what the
 * uploaded model expects; unlike the loss itself they cannot be small by chance. An output without such a metric, or
 * with a threshold on it, has no limit, and neither has one whose loss is not finite.
 */
export function divergenceLimits(basis: DivergenceBasis): Readonly<Record<string, number>> {
  const { metrics, thresholds, divergenceMax } = basis;
  const limits: Record<string, number> = {};
  for (const metric of metrics) {
    if (!isDivergence(metric.kind) || Object.hasOwn(thresholds, metric.name)) continue;
    const allowed = readAlike(metric, metrics).flatMap((bounded) => lossAllowed(bounded, metric, basis));
    if (allowed.length > 0) limits[metric.name] = divergenceMax * Math.min(...allowed);
  }
  return limits;
}

/** What a metric's threshold lets the loss beside a divergence grow by; empty if that is not known. */
function lossAllowed(
  { name, kind }: MetricSpec,
  divergence: MetricSpec,
  { metrics, thresholds, baseline }: DivergenceBasis,
): number[] {
  const threshold = thresholds[name];
  if (threshold === undefined || metricKindRules[kind].bound !== 'relative') return [];
  if (kind === 'perplexity') return [Math.log1p(threshold)];
  const loss = lossBeside(divergence, metrics, baseline);
  return loss === undefined ? [] : [threshold * loss];
}

/**
 * The uploaded model's loss over the output that a divergence is measured on, in the unit of the divergence: its
 * cross-entropy in nats, or its mean squared error; undefined if that was not measured.
 */
export function lossBeside(
  divergence: MetricSpec,
  metrics: readonly MetricSpec[],
  baseline: MetricValues,
): number | undefined {
  for (const { name, kind } of readAlike(divergence, metrics)) {
    const value = baseline[name];
    if (value === undefined || !Number.isFinite(value)) continue;
    if (kind === 'cross-entropy' || kind === 'mse') return value;
    if (kind === 'perplexity') return Math.log(value);
  }
  return undefined;
}

/** The metrics with labels that read the output of a divergence as the divergence does: as classes, or as values. */
function readAlike({ kind: divergence, output: compared }: MetricSpec, metrics: readonly MetricSpec[]): MetricSpec[] {
  const labels: ComparedWith = readsClasses(divergence) ? 'classes' : 'values';
  return metrics.filter(({ kind, output }) => output === compared && metricKindRules[kind].comparedWith === labels);
}
