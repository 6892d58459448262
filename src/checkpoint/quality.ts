/** Metrics, their direction, and when a quantized checkpoint is good enough (DESIGN section 2, "quality threshold"). */
export const metricKinds = ['loss', 'cross-entropy', 'perplexity', 'accuracy', 'mse', 'pearson'] as const;
/** `loss`: the graph output itself is the loss. The others compare an output with labels. */
export type MetricKind = (typeof metricKinds)[number];

export const higherIsBetter: Readonly<Record<MetricKind, boolean>> = {
  loss: false,
  'cross-entropy': false,
  perplexity: false,
  accuracy: true,
  mse: false,
  pearson: true,
};

/** Metric name to value. The name is the eval set's, not the kind. */
export type MetricValues = Readonly<Record<string, number>>;

/** Metric values over an eval set and over its halves: the batches with an even number, then those with an odd one. */
export interface HalvedMetrics {
  readonly whole: MetricValues;
  readonly halves: readonly [first: MetricValues, second: MetricValues];
}

/** Largest relative degradation accepted, e.g. 0.05; one entry per bounded metric. */
export type QualityThresholds = Readonly<Record<string, number>>;

/** Smallest denominator of a relative degradation, in the metric's unit. */
export const baselineMagnitudeMin = 1e-6;

/** Signed relative degradation, positive when worse. NaN when either value is not finite. */
export function degradation(baseline: number, value: number, metricHigherIsBetter: boolean): number {
  if (!Number.isFinite(baseline) || !Number.isFinite(value)) return Number.NaN;
  const worse = metricHigherIsBetter ? baseline - value : value - baseline;
  return worse / Math.max(Math.abs(baseline), baselineMagnitudeMin);
}

/** A non-finite degradation never passes. */
export function withinThreshold(relativeDegradation: number, threshold: number): boolean {
  return relativeDegradation <= threshold;
}
