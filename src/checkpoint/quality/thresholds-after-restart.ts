import { boundsOf } from './degradation-limits.ts';
import type { MetricSpec } from './eval-set-spec.ts';
import { needsReference } from './metric-kind.ts';
import type { QualityThreshold, QualityThresholds } from './quality.ts';

/**
 * `progress` of thresholds without one, once training has been resumed from rebuilt weights. A restart puts training
 * back by what its checkpoint lost, and restarts add up; unbroken training never sees the loss. Measured:
 * docs/decisions/0071-progress-after-a-restart.md.
 */
export const progressAfterRestart = 0.5;

/** The thresholds with {@link progressAfterRestart} where none is given, for metrics that training improves. */
export function thresholdsAfterRestart(
  thresholds: QualityThresholds,
  metrics: readonly Pick<MetricSpec, 'name' | 'kind'>[],
): QualityThresholds {
  return Object.fromEntries(
    Object.entries(thresholds).map(([name, threshold]): [string, QualityThreshold] => {
      const kind = metrics.find((metric) => metric.name === name)?.kind ?? 'loss';
      if (needsReference(kind)) return [name, threshold];
      return [name, { progress: progressAfterRestart, ...boundsOf(threshold, kind) }];
    }),
  );
}
