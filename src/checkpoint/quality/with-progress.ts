import type { DegradationLimits, QualityThresholds } from './quality.ts';

/** Thresholds with the usual bound of each metric, and with the same `progress` for all if there is one. */
export function withProgress(relative: DegradationLimits, progress: number | undefined): QualityThresholds {
  if (progress === undefined) return relative;
  return Object.fromEntries(Object.entries(relative).map(([name, bound]) => [name, { relative: bound, progress }]));
}
