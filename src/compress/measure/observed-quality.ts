import type { ObservedMetric } from '../../catalog/contract/checkpoint-records.ts';
import type { DeviceKind } from '../../checkpoint/device-kind.ts';
import type { MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { figureInWords } from '../../checkpoint/words/figure-in-words.ts';
import { isDivergence, metricKindRules, type MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import type { MeasuredUpload, MetricLimit } from '../../checkpoint/quality/degradation-limits.ts';
import { defaultThreshold, degradation, type MetricValues } from '../../checkpoint/quality/quality.ts';
import { quoteName } from '../../checkpoint/words/quote-name.ts';
import { lossBeside } from './divergence-limits.ts';
import type { QualityBound } from './judge-metrics.ts';
import type { ModelQuality } from '../prepare-model.ts';
import type { Measurement } from './quality-gate.ts';

/** A checkpoint's quality before and after, including observed metrics. */
export interface MeasuredQuality {
  readonly bound: QualityBound;
  readonly measured: Measurement;
  /** What everything was measured on. */
  readonly measuredOn: DeviceKind;
  /** What the thresholds came to, by bounded metric. */
  readonly limits?: Readonly<Record<string, MetricLimit>> | undefined;
  /** Earlier uploads that this one was trained through, the nearest first. */
  readonly earlier?: readonly MeasuredUpload[] | undefined;
  /** Rows of the eval set. */
  readonly rows: number;
  readonly understood: readonly string[];
  /** The observed metrics, which are measured without being requested, and their values on the uploaded weights. */
  readonly observed: { readonly metrics: readonly MetricSpec[]; readonly baseline: MetricValues };
}

/** An observed metric that degrades by more than this multiple of the largest threshold causes a warning. */
const unboundedFactor = 3;

/** The quality of a checkpoint from the measurement of its stored form. */
export function measuredQuality(
  { gate, bound, limits, earlier, rows, observed = {}, understood }: ModelQuality,
  measured: Measurement,
): MeasuredQuality {
  const shown = { metrics: gate.observedMetrics, baseline: observed };
  return { bound, limits, earlier, measured, measuredOn: gate.device, rows, understood, observed: shown };
}

/** Observed metrics by name, before and after. */
export function observedValues({
  observed,
  measured,
}: Pick<MeasuredQuality, 'observed' | 'measured'>): Readonly<Record<string, ObservedMetric>> {
  return Object.fromEntries(
    observed.metrics.map(({ name, kind }) => [
      name,
      changeOf(kind, observed.baseline[name], measured.observed?.[name]),
    ]),
  );
}

/**
 * Warnings about metrics without a bound that degraded by more than three times the largest relative threshold (the
 * default if all are absolute; without `progress`, which says nothing of other metrics), or are no longer finite.
 * Metrics that compare with the uploaded model have no baseline of their own. Agreement is compared with the same share
 * of all positions; a divergence with the same share of the uploaded model's loss, which has its unit. If no loss was
 * measured, that of classes is compared with the share of one nat, and that of values, whose unit may be anything, with
 * nothing.
 */
export function unboundedWarnings(quality: MeasuredQuality): string[] {
  const { bound, measured, observed } = quality;
  const kinds = new Map(bound.spec.metrics.map(({ name, kind }) => [name, kind]));
  const relative = Object.entries(bound.withoutProgress ?? bound.thresholds).filter(
    ([name]) => metricKindRules[kinds.get(name) ?? 'loss'].bound === 'relative',
  );
  const largest = relative.length === 0 ? defaultThreshold : Math.max(...relative.map(([, threshold]) => threshold));
  const metrics = [...bound.spec.metrics, ...observed.metrics];
  const before = { ...observed.baseline, ...bound.baseline };
  const after = { ...measured.observed, ...measured.whole };
  const isBounded = (name: string): boolean =>
    Object.hasOwn(bound.thresholds, name) || Object.hasOwn(bound.divergences ?? {}, name);
  return metrics.flatMap((metric) => {
    const { name, kind } = metric;
    if (isBounded(name)) return [];
    const change = changeOf(kind, before[name], after[name]);
    const loss = isDivergence(kind) ? lossBeside(metric, metrics, before) : undefined;
    const unit = loss ?? (kind === 'deviation' ? Infinity : 1);
    if (!Number.isFinite(change.baseline) || change.degradation <= unboundedFactor * largest * unit) return [];
    if (!Number.isFinite(change.measured))
      return [
        `${quoteName(name)} is not bounded and is not finite any more; it was ${figureInWords(change.baseline, 4)}.`,
      ];
    return [
      `${quoteName(name)} is not bounded and ${movedWords(change, loss)}; the largest threshold is ` +
        `${figureInWords(100 * largest, 3)} %. A threshold on it would hold it.`,
    ];
  });
}

function movedWords(
  { kind, baseline, measured, degradation: worse }: ObservedMetric,
  loss: number | undefined,
): string {
  if (kind === 'agreement') return `fell to ${figureInWords(measured, 4)}`;
  if (isDivergence(kind)) {
    const share = loss === undefined ? '' : `, ${figureInWords((100 * measured) / loss, 2)} % of the loss`;
    return `is ${figureInWords(measured, 3)}${kind === 'kl-divergence' ? ' nats' : ''}${share}`;
  }
  return (
    `${metricKindRules[kind].higherIsBetter ? 'fell' : 'grew'} by ${figureInWords(100 * worse, 2)} %, from ` +
    `${figureInWords(baseline, 4)} to ${figureInWords(measured, 4)}`
  );
}

/** One metric before and after; NaN for a value that was not measured. */
function changeOf(kind: MetricKind, baseline = Number.NaN, measured = Number.NaN): ObservedMetric {
  return { kind, baseline, measured, degradation: degradation(baseline, measured, kind) };
}
