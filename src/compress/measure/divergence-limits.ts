import type { MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { metricKindRules } from '../../checkpoint/quality/metric-kind.ts';
import type { MetricValues, QualityThresholds } from '../../checkpoint/quality/quality.ts';

export interface DivergenceBasis {
  /** Metrics of the eval set and observed ones. */
  readonly metrics: readonly MetricSpec[];
  readonly thresholds: QualityThresholds;
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
export function divergenceLimits({
  metrics,
  thresholds,
  baseline,
  divergenceMax,
}: DivergenceBasis): Readonly<Record<string, number>> {
  const limits: Record<string, number> = {};
  for (const metric of metrics) {
    if (metric.kind !== 'kl-divergence' && metric.kind !== 'deviation') continue;
    if (Object.hasOwn(thresholds, metric.name)) continue;
    const ofOutput = metrics.filter(({ output }) => output === metric.output);
    const allowed = ofOutput.flatMap((bounded) => lossAllowed(bounded, ofOutput, { thresholds, baseline }));
    if (allowed.length > 0) limits[metric.name] = divergenceMax * Math.min(...allowed);
  }
  return limits;
}

/** What a metric's threshold lets the loss of its output grow by; empty if that cannot be told. */
function lossAllowed(
  { name, kind }: MetricSpec,
  ofOutput: readonly MetricSpec[],
  { thresholds, baseline }: Pick<DivergenceBasis, 'thresholds' | 'baseline'>,
): number[] {
  const threshold = thresholds[name];
  if (threshold === undefined || metricKindRules[kind].bound !== 'relative') return [];
  if (kind === 'perplexity') return [Math.log1p(threshold)];
  const loss = lossOfOutput(ofOutput, baseline);
  return loss === undefined ? [] : [threshold * loss];
}

/**
 * The uploaded model's loss over one output, from the metrics of that output: its cross-entropy in nats, or its mean
 * squared error; undefined if neither was measured.
 */
export function lossOfOutput(ofOutput: readonly MetricSpec[], baseline: MetricValues): number | undefined {
  for (const { name, kind } of ofOutput) {
    const value = baseline[name];
    if (value === undefined || !Number.isFinite(value)) continue;
    if (kind === 'cross-entropy' || kind === 'mse') return value;
    if (kind === 'perplexity') return Math.log(value);
  }
  return undefined;
}
