import {
  degradationLimits,
  metricLimits,
  type MeasuredUpload,
  type MetricLimit,
} from '../../checkpoint/quality/degradation-limits.ts';
import { limitsInWords } from '../../checkpoint/quality/limit-words.ts';
import type { QualityThresholds } from '../../checkpoint/quality/quality.ts';
import { divergenceLimits } from './divergence-limits.ts';
import type { QualityBound } from './judge-metrics.ts';
import type { Measurement, QualityGate } from './quality-gate.ts';

/** What thresholds are settled by, once the upload has been measured. */
export interface BoundBasis {
  readonly gate: Pick<QualityGate, 'spec' | 'observedMetrics'>;
  /** Of the upload. */
  readonly baseline: Measurement;
  /** Earlier uploads that this one was trained through, the nearest first. */
  readonly earlier: readonly MeasuredUpload[];
  /** See {@link QualityBound}. */
  readonly standardErrors: number;
  /** `SearchOptions.divergenceMax`. */
  readonly divergenceMax: number | undefined;
}

/** What thresholds come to in one checkpoint. */
export interface SettledBound {
  readonly bound: QualityBound;
  /** By bounded metric. */
  readonly limits: Readonly<Record<string, MetricLimit>>;
  /** What `progress` came to, in sentences. */
  readonly words: readonly string[];
}

export function settleBound(basis: BoundBasis, runThresholds: QualityThresholds): SettledBound {
  const { gate, baseline: measured, earlier, standardErrors, divergenceMax } = basis;
  const { spec } = gate;
  const { whole: baseline, halves, groups, observed } = measured;
  const limits = metricLimits({ metrics: spec.metrics, thresholds: runThresholds, baseline, earlier });
  const thresholds = degradationLimits(limits);
  const bound: QualityBound = {
    spec,
    thresholds,
    ...beforeProgress(limits),
    baseline,
    ...(halves && { halfBaselines: halves }),
    ...(groups && { standardErrors, groupBaselines: groups }),
    ...(divergenceMax !== undefined && {
      divergences: divergenceLimits({
        metrics: [...spec.metrics, ...gate.observedMetrics],
        thresholds,
        baseline: { ...baseline, ...observed },
        divergenceMax,
      }),
    }),
  };
  return { bound, limits, words: limitsInWords({ spec, limits, baseline, hasEarlier: earlier.length > 0 }) };
}

/** The limits without `progress`, if there is some. */
function beforeProgress(limits: Readonly<Record<string, MetricLimit>>): Pick<QualityBound, 'withoutProgress'> {
  const entries = Object.entries(limits);
  if (entries.every(([, { withoutProgress }]) => withoutProgress === undefined)) return {};
  return {
    withoutProgress: Object.fromEntries(
      entries.map(([name, { withoutProgress, degradationMax }]) => [name, withoutProgress ?? degradationMax]),
    ),
  };
}
