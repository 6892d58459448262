import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import {
  degradation,
  withinThreshold,
  type MetricValues,
  type QualityThresholds,
} from '../../checkpoint/quality/quality.ts';
import type { TrialOutcome } from '../../search/trial-runner.ts';

/**
 * The quality bound of a checkpoint: metrics, their baselines on the uploaded weights, and the largest allowed
 * degradation of each bounded one, on the whole set and on each half.
 */
export interface QualityBound {
  readonly spec: EvalSetSpec;
  readonly thresholds: QualityThresholds;
  readonly baseline: MetricValues;
  /** Baselines of each half, if the thresholds must hold on both. */
  readonly halfBaselines?: readonly MetricValues[];
}

/** Relative degradation of every metric of the set. */
export function degradations(bound: QualityBound, metrics: MetricValues): MetricValues {
  return Object.fromEntries(
    bound.spec.metrics.map(({ name, kind }) => [
      name,
      degradation(bound.baseline[name] ?? Number.NaN, metrics[name] ?? Number.NaN, kind),
    ]),
  );
}

/**
 * All bounded metrics must be inside their thresholds; a non-finite one never is. If the bound has halves, the whole
 * set and each half must pass, and the worst degradation of the three counts. Both halves may pass while the whole set
 * fails if a metric is no mean over positions (`loss` of uneven batches, Pearson's correlation).
 */
export function judgeMetrics(
  bound: QualityBound,
  metrics: MetricValues,
  halves: readonly MetricValues[] = [],
): TrialOutcome {
  const whole = judgeRows(bound, metrics);
  const { halfBaselines } = bound;
  if (halfBaselines === undefined) return whole;
  const parts = [
    whole,
    ...halfBaselines.map((baseline, half) => judgeRows({ ...bound, baseline }, halves[half] ?? {})),
  ];
  return {
    ...whole,
    halves,
    passed: parts.every(({ passed }) => passed),
    worst: Math.max(...parts.map(({ worst }) => worst)),
  };
}

/** One baseline against the values of the same rows. */
function judgeRows(bound: QualityBound, metrics: MetricValues): TrialOutcome {
  const found = degradations(bound, metrics);
  const bounded = Object.entries(bound.thresholds);
  const passed = bounded.every(([name, threshold]) => withinThreshold(found[name] ?? Number.NaN, threshold));
  const worst = Math.max(...bounded.map(([name, threshold]) => inThresholds(found[name] ?? Number.NaN, threshold)));
  return { metrics, degradation: found, passed, worst };
}

/** Degradation in units of its threshold; with a threshold of 0 any degradation is infinite. */
function inThresholds(found: number, threshold: number): number {
  if (Number.isNaN(found)) return Infinity;
  if (threshold > 0) return found / threshold;
  return found <= 0 ? 0 : Infinity;
}
