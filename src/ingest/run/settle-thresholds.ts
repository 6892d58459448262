import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { boundsOf } from '../../checkpoint/quality/degradation-limits.ts';
import { metricKindRules, type MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import {
  defaultThreshold,
  plainThresholdMax,
  type QualityThreshold,
  type QualityThresholds,
} from '../../checkpoint/quality/quality.ts';
import { thresholdInWords } from '../../checkpoint/quality/threshold-words.ts';

export interface AskedThresholds {
  readonly given: QualityThresholds | undefined;
  /** Thresholds of the run, or of the parent of a fork. */
  readonly inherited: QualityThresholds | undefined;
  /** Whether the caller allows thresholds above `plainThresholdMax`. */
  readonly allowLarge: boolean | undefined;
  readonly evalSet: EvalSet | undefined;
}

/**
 * The thresholds on an eval set: the given ones, else the inherited ones if it has all their metrics, else the default
 * on its first metric. Inherited thresholds may be large. Errors: `invalid-request`, `metric-unknown`.
 */
export function settleThresholds({ given, inherited, allowLarge, evalSet }: AskedThresholds): QualityThresholds {
  if (given !== undefined) {
    checkKnown(given, evalSet);
    if (evalSet !== undefined) checkMeaningful(given, evalSet);
    if (allowLarge !== true && evalSet !== undefined) checkPlain(given, evalSet);
    return given;
  }
  if (evalSet === undefined) return {};
  const bounded = Object.keys(inherited ?? {});
  if (bounded.length > 0 && unknownMetric(bounded, evalSet) === undefined) return inherited!;
  return { [evalSet.spec.metrics[0]!.name]: defaultThreshold };
}

function checkKnown(thresholds: QualityThresholds, evalSet: EvalSet | undefined): void {
  const bounded = Object.keys(thresholds);
  if (evalSet === undefined && bounded.length > 0)
    throw new FirnError('invalid-request', 'Thresholds need an eval set to be measured on.');
  if (evalSet !== undefined && bounded.length === 0)
    throw new FirnError('invalid-request', 'At least one metric of the eval set must be bounded.');
  if (evalSet !== undefined) refuseUnknownMetrics(bounded, evalSet);
}

function unknownMetric(names: readonly string[], { spec }: EvalSet): string | undefined {
  return names.find((name) => spec.metrics.every((metric) => metric.name !== name));
}

function refuseUnknownMetrics(names: readonly string[], evalSet: EvalSet): void {
  const unknown = unknownMetric(names, evalSet);
  const known = evalSet.spec.metrics.map(({ name }) => name);
  if (unknown !== undefined)
    throw new FirnError('metric-unknown', `The eval set has no metric named "${unknown}"; it has ${known.join(', ')}.`);
}

/**
 * Metrics that compare with the uploaded model have no value to take a share of, and training does not improve them.
 */
function checkMeaningful(thresholds: QualityThresholds, { spec }: EvalSet): void {
  for (const { name, kind } of spec.metrics) {
    const threshold = thresholds[name];
    if (threshold === undefined || metricKindRules[kind].bound === 'relative') continue;
    const { relative, progress } = boundsOf(threshold, kind);
    if (relative === undefined && progress === undefined) continue;
    const why =
      progress === undefined ? 'has no value of its own to lose a share of' : 'is nothing that training improves';
    throw new FirnError(
      'invalid-request',
      `"${name}" compares the rebuilt model with the uploaded one, so it ${why}. Bound it with a number, or with ` +
        '{"absolute": ...}.',
    );
  }
}

/** The bound of a threshold that is a share of the whole; an absolute one has the unit of its metric. */
function shareOf(threshold: QualityThreshold, kind: MetricKind): number {
  const { relative, absolute } = boundsOf(threshold, kind);
  return (metricKindRules[kind].bound === 'absolute' ? absolute : relative) ?? 0;
}

function checkPlain(thresholds: QualityThresholds, { spec }: EvalSet): void {
  const large = spec.metrics.find(({ name, kind }) => shareOf(thresholds[name] ?? 0, kind) > plainThresholdMax);
  if (large === undefined) return;
  const threshold = thresholds[large.name]!;
  throw new FirnError(
    'invalid-request',
    `The threshold ${shareOf(threshold, large.kind)} of "${large.name}" is above ${plainThresholdMax}: ` +
      `${thresholdInWords(large.name, large.kind, threshold)}. ` +
      `If that is meant, send "allowLarge": true beside "thresholds"; half a percent is ${defaultThreshold}.`,
  );
}
