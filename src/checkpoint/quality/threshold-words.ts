import type { EvalSetSpec } from './eval-set-spec.ts';
import { boundsBesideProgress, boundsOf } from './degradation-limits.ts';
import { metricKindRules, type MetricKind } from './metric-kind.ts';
import type { QualityThreshold, QualityThresholds } from './quality.ts';

/** Significant digits of numbers in words. */
const digits = 3;
/** How far the inverse of a threshold may be from a whole number, relative to it: decimals are not exact. */
const wholeWithin = 1e-9;

/**
 * How much each threshold lets a checkpoint lose, as sentences in the order of the thresholds. Thresholds for metrics
 * that the eval set lacks are left out.
 */
export function thresholdsInWords({ metrics }: Pick<EvalSetSpec, 'metrics'>, thresholds: QualityThresholds): string[] {
  return Object.entries(thresholds).flatMap(([name, threshold]) => {
    const metric = metrics.find((each) => each.name === name);
    return metric === undefined ? [] : [thresholdInWords(name, metric.kind, threshold)];
  });
}

/** How much the threshold of one metric lets a checkpoint lose. */
export function thresholdInWords(name: string, kind: MetricKind, threshold: QualityThreshold): string {
  if (typeof threshold === 'number') return usualInWords(name, kind, threshold);
  const { progress, ...others } = boundsOf(threshold, kind);
  const { relative, absolute } = progress === undefined ? others : boundsBesideProgress(others);
  const { higherIsBetter, bound } = metricKindRules[kind];
  if (bound === 'absolute') return usualInWords(name, kind, absolute ?? Infinity);
  const change = `${name} may ${higherIsBetter ? 'fall' : 'grow'}`;
  const parts = [
    ...(relative === undefined ? [] : [usualInWords(name, kind, relative)]),
    ...(absolute === undefined ? [] : [`${change} by at most ${rounded(absolute)}`]),
    ...(progress === undefined
      ? []
      : [`${change} by at most ${rounded(100 * progress)} % of what it gained since the checkpoint before`]),
  ];
  return parts.map((part, i) => (i === 0 ? part : part.replace(change, 'and'))).join(', ');
}

/** A threshold with the bound that is usual for the kind. */
function usualInWords(name: string, kind: MetricKind, threshold: number): string {
  const { higherIsBetter, bound } = metricKindRules[kind];
  if (kind === 'kl-divergence') return `${name} may be at most ${rounded(threshold)} nats`;
  if (kind === 'agreement') return `${name}: at most ${positions(threshold)} may change its top choice`;
  if (kind === 'deviation')
    return (
      `${name}: outputs may differ from the uploaded checkpoint's by at most ${rounded(threshold)}, squared, on ` +
      'average'
    );
  if (bound === 'absolute') return `${name} may ${higherIsBetter ? 'fall' : 'grow'} by at most ${rounded(threshold)}`;
  const share = `${rounded(100 * threshold)} %`;
  if (kind === 'perplexity')
    return `${name} may grow by at most ${share}: its loss by at most ${rounded(Math.log1p(threshold))} nats`;
  return `${name} may ${higherIsBetter ? 'fall' : 'grow'} by at most ${share} of the uploaded checkpoint's`;
}

function positions(threshold: number): string {
  if (threshold === 0) return '0 positions';
  const per = 1 / threshold;
  return Math.abs(per - Math.round(per)) < wholeWithin * per
    ? `1 in ${rounded(per)} positions`
    : `${rounded(100 * threshold)} in 100 positions`;
}

function rounded(value: number): string {
  return Number(value.toPrecision(digits)).toLocaleString('en-US', { maximumFractionDigits: 12 });
}
