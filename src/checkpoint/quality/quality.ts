import { metricKindRules, type MetricKind } from './metric-kind.ts';

/** Metric name to value. The name is the eval set's, not the kind. */
export type MetricValues = Readonly<Record<string, number>>;

/** Parts of an eval set whose metrics are wanted besides those of the whole. */
export interface EvalParts {
  readonly halves: boolean;
  /** Groups of neighbouring rows, whose spread says how certain a figure is. */
  readonly groups: boolean;
}

/** Metric values over an eval set, and over the wanted parts of it. */
export interface PartedMetrics {
  readonly whole: MetricValues;
  /** First the batches with an even number, then those with an odd one. */
  readonly halves?: readonly [first: MetricValues, second: MetricValues];
  readonly groups?: readonly MetricValues[];
}

/** {@link PartedMetrics} with halves. */
export type HalvedMetrics = PartedMetrics & Required<Pick<PartedMetrics, 'halves'>>;

/** Bounds on the degradation of one metric in one checkpoint. At least one is given, and the tightest holds. */
export interface ThresholdBounds {
  /** Largest share of what the uploaded checkpoint has. */
  readonly relative?: number | undefined;
  /** Largest change, in the metric's own unit. */
  readonly absolute?: number | undefined;
  /** Largest share of what the metric gained since the checkpoint before (`degradation-limits.ts`). */
  readonly progress?: number | undefined;
}

/** A number is the bound that is usual for the metric's kind: relative or absolute (`metricKindRules`). */
export type QualityThreshold = number | ThresholdBounds;

/** What the user accepts, e.g. `{ loss: 0.005 }`; one entry per bounded metric. */
export type QualityThresholds = Readonly<Record<string, QualityThreshold>>;

/**
 * What the thresholds come to in one checkpoint: the largest {@link degradation} of each bounded metric, in the unit of
 * a degradation of its kind.
 */
export type DegradationLimits = Readonly<Record<string, number>>;

/**
 * Accepted on the first metric of an eval set when no threshold is named: half a percent. `bench:restart` justifies it:
 * training resumed from checkpoints within this threshold ended with the same loss as training without a restart.
 */
export const defaultThreshold = 0.005;

/** Most people would call a loss above this damage, so a larger threshold must be confirmed (`allowLarge`). */
export const plainThresholdMax = 0.5;

/** Smallest denominator of a relative degradation, in the metric's unit. */
export const baselineMagnitudeMin = 1e-6;

/**
 * How much worse `value` is than `baseline`, positive when worse: in units of the baseline's magnitude, or in the
 * metric's own unit if thresholds of its kind are absolute. NaN when either value is not finite.
 */
export function degradation(baseline: number, value: number, kind: MetricKind): number {
  if (!Number.isFinite(baseline) || !Number.isFinite(value)) return Number.NaN;
  const { higherIsBetter, bound } = metricKindRules[kind];
  if (bound === 'relative') return relativeDegradation(baseline, value, higherIsBetter);
  return higherIsBetter ? baseline - value : value - baseline;
}

/** Like {@link degradation}, for a metric with relative thresholds. */
export function relativeDegradation(baseline: number, value: number, higherIsBetter: boolean): number {
  if (!Number.isFinite(baseline) || !Number.isFinite(value)) return Number.NaN;
  const worse = higherIsBetter ? baseline - value : value - baseline;
  return worse / Math.max(Math.abs(baseline), baselineMagnitudeMin);
}

/** A non-finite degradation never passes. */
export function withinThreshold(relativeDegradation: number, threshold: number): boolean {
  return relativeDegradation <= threshold;
}
