import type { EvalSet } from '../../catalog/contract/eval-set-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { defaultThreshold, plainThresholdMax, type QualityThresholds } from '../../checkpoint/quality/quality.ts';
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
  const unknown = evalSet && unknownMetric(bounded, evalSet);
  if (unknown !== undefined) throw new FirnError('metric-unknown', `The eval set has no metric named "${unknown}".`);
}

function unknownMetric(names: readonly string[], { spec }: EvalSet): string | undefined {
  return names.find((name) => spec.metrics.every((metric) => metric.name !== name));
}

function checkPlain(thresholds: QualityThresholds, { spec }: EvalSet): void {
  const large = spec.metrics.find(({ name }) => (thresholds[name] ?? 0) > plainThresholdMax);
  if (large === undefined) return;
  const threshold = thresholds[large.name]!;
  throw new FirnError(
    'invalid-request',
    `The threshold ${threshold} of "${large.name}" is above ${plainThresholdMax}: ` +
      `${thresholdInWords(large.name, large.kind, threshold)}. ` +
      `If that is meant, send "allowLarge": true beside "thresholds"; half a percent is ${defaultThreshold}.`,
  );
}
