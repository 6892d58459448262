import type { ObservedMetric } from '../../catalog/contract/checkpoint-records.ts';
import type { MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { figureInWords } from '../../checkpoint/figure-in-words.ts';
import { metricKindRules, type MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import { defaultThreshold, degradation, type MetricValues } from '../../checkpoint/quality/quality.ts';
import { quoteName } from '../../checkpoint/quote-name.ts';
import type { QualityBound } from './judge-metrics.ts';
import type { ModelQuality } from '../prepare-model.ts';
import type { Measurement } from './quality-gate.ts';

/** A checkpoint's quality before and after, including observed metrics. */
export interface MeasuredQuality {
  readonly bound: QualityBound;
  readonly measured: Measurement;
  readonly understood: readonly string[];
  /** The observed metrics, which are measured without being requested, and their values on the uploaded weights. */
  readonly observed: { readonly metrics: readonly MetricSpec[]; readonly baseline: MetricValues };
}

/** An observed metric that degrades by more than this multiple of the largest threshold causes a warning. */
const unboundedFactor = 3;

/** The quality of a checkpoint from the measurement of its stored form. */
export function measuredQuality(
  { gate, bound, observed = {}, understood }: ModelQuality,
  measured: Measurement,
): MeasuredQuality {
  return { bound, measured, understood, observed: { metrics: gate.observedMetrics, baseline: observed } };
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
 * Warnings about metrics without a threshold that degraded by more than three times the largest relative threshold (the
 * default if all are absolute), or are no longer finite. Metrics that compare with the uploaded model have no baseline
 * of their own. Agreement is compared with the same share of all positions; divergence with the same share of the
 * uploaded model's loss, also in nats (of one nat if no loss was measured).
 */
export function unboundedWarnings(quality: MeasuredQuality): string[] {
  const { bound, measured, observed } = quality;
  const kinds = new Map(bound.spec.metrics.map(({ name, kind }) => [name, kind]));
  const relative = Object.entries(bound.thresholds).filter(
    ([name]) => metricKindRules[kinds.get(name) ?? 'loss'].bound === 'relative',
  );
  const largest = relative.length === 0 ? defaultThreshold : Math.max(...relative.map(([, threshold]) => threshold));
  const seen = observedValues(quality);
  const changes = [
    ...bound.spec.metrics
      .filter(({ name }) => !Object.hasOwn(bound.thresholds, name))
      .map((metric) => ({
        metric,
        change: changeOf(metric.kind, bound.baseline[metric.name], measured.whole[metric.name]),
      })),
    ...observed.metrics.map((metric) => ({ metric, change: seen[metric.name]! })),
  ];
  return changes.flatMap(({ metric, change }) => {
    const { baseline, measured: after, degradation: worse } = change;
    const loss = metric.kind === 'kl-divergence' ? lossOf(metric.output, quality) : undefined;
    if (!Number.isFinite(baseline) || worse <= unboundedFactor * largest * (loss ?? 1)) return [];
    if (!Number.isFinite(after))
      return [
        `${quoteName(metric.name)} is not bounded and is not finite any more; it was ${figureInWords(baseline, 4)}.`,
      ];
    return [
      `${quoteName(metric.name)} is not bounded and ${movedWords(metric.kind, change, loss)}; the largest threshold is ${figureInWords(100 * largest, 3)} %. A threshold on it would hold it.`,
    ];
  });
}

function movedWords(
  kind: MetricKind,
  { baseline, measured: after, degradation: worse }: ObservedMetric,
  loss: number | undefined,
): string {
  const by = `by ${figureInWords(100 * worse, 2)} %`;
  if (kind === 'agreement') return `fell to ${figureInWords(after, 4)}`;
  if (kind === 'kl-divergence')
    return (
      `is ${figureInWords(after, 3)} nats` +
      (loss === undefined ? '' : `, ${figureInWords((100 * after) / loss, 2)} % of the loss`)
    );
  return `${metricKindRules[kind].higherIsBetter ? 'fell' : 'grew'} ${by}, from ${figureInWords(baseline, 4)} to ${figureInWords(after, 4)}`;
}

/** The uploaded model's cross-entropy over an output, in nats; undefined if it was not measured. */
function lossOf(output: string, { bound, observed }: MeasuredQuality): number | undefined {
  const figures = [
    ...bound.spec.metrics.map((metric) => ({ metric, value: bound.baseline[metric.name] })),
    ...observed.metrics.map((metric) => ({ metric, value: observed.baseline[metric.name] })),
  ];
  for (const { metric, value } of figures) {
    if (metric.output !== output || value === undefined || !Number.isFinite(value)) continue;
    if (metric.kind === 'cross-entropy') return value;
    if (metric.kind === 'perplexity') return Math.log(value);
  }
  return undefined;
}

/** One metric before and after; NaN for a value that was not measured. */
function changeOf(kind: MetricKind, baseline = Number.NaN, measured = Number.NaN): ObservedMetric {
  return { kind, baseline, measured, degradation: degradation(baseline, measured, kind) };
}
