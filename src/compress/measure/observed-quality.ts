import type { ObservedMetric } from '../../catalog/contract/checkpoint-records.ts';
import type { MetricSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { figureInWords } from '../../checkpoint/figure-in-words.ts';
import { metricKindRules, type MetricKind } from '../../checkpoint/quality/metric-kind.ts';
import { defaultThreshold, degradation, type MetricValues } from '../../checkpoint/quality/quality.ts';
import { quoteName } from '../../checkpoint/quote-name.ts';
import type { QualityBound } from './judge-metrics.ts';
import type { ModelQuality } from '../prepare-model.ts';
import type { Measurement } from './quality-gate.ts';

/** A checkpoint's quality before and after, that of metrics nobody asked for among it. */
export interface MeasuredQuality {
  readonly bound: QualityBound;
  readonly measured: Measurement;
  readonly understood: readonly string[];
  /** Metrics that were measured though nobody asked for them, and their values on the uploaded weights. */
  readonly observed: { readonly metrics: readonly MetricSpec[]; readonly baseline: MetricValues };
}

/** So many times the largest threshold may a metric that nobody bounded move before it is a warning. */
const unboundedFactor = 3;

/** What is known of a checkpoint's quality once its stored form was measured. */
export function measuredQuality({ gate, bound, observed = {}, understood }: ModelQuality, measured: Measurement): MeasuredQuality {
  return { bound, measured, understood, observed: { metrics: gate.observedMetrics, baseline: observed } };
}

/** Before and after of the metrics that nobody asked for, by name. */
export function observedValues({ observed, measured }: Pick<MeasuredQuality, 'observed' | 'measured'>): Readonly<Record<string, ObservedMetric>> {
  return Object.fromEntries(observed.metrics.map(({ name, kind }) => [name, changeOf(kind, observed.baseline[name], measured.observed?.[name])]));
}

/**
 * Sentences for metrics that no threshold bounds and that got worse by more than three times the largest relative one
 * (the default where all are absolute), or stopped being finite. Divergence from the uploaded model and agreement with
 * it are not relative to anything, so no relative threshold compares with them: they are shown, and never warned of.
 */
export function unboundedWarnings(quality: MeasuredQuality): string[] {
  const { bound, measured } = quality;
  const kinds = new Map(bound.spec.metrics.map(({ name, kind }) => [name, kind]));
  const relative = Object.entries(bound.thresholds).filter(([name]) => metricKindRules[kinds.get(name) ?? 'loss'].bound === 'relative');
  const largest = relative.length === 0 ? defaultThreshold : Math.max(...relative.map(([, threshold]) => threshold));
  const asked = bound.spec.metrics
    .filter(({ name }) => !Object.hasOwn(bound.thresholds, name))
    .map(({ name, kind }): [string, ObservedMetric] => [name, changeOf(kind, bound.baseline[name], measured.whole[name])]);
  return [...asked, ...Object.entries(observedValues(quality))]
    .filter(
      ([, { kind, baseline, degradation: worse }]) =>
        metricKindRules[kind].bound === 'relative' && Number.isFinite(baseline) && !(worse <= unboundedFactor * largest),
    )
    .map(([name, { kind, baseline, measured: after, degradation: worse }]) => {
      if (!Number.isFinite(after)) return `${quoteName(name)} is not bounded and is not finite any more; it was ${figureInWords(baseline, 4)}.`;
      const moved = metricKindRules[kind].higherIsBetter ? 'fell' : 'grew';
      const by = `by ${figureInWords(100 * worse, 2)} %`;
      return `${quoteName(name)} is not bounded and ${moved} ${by}, from ${figureInWords(baseline, 4)} to ${figureInWords(after, 4)}; the largest threshold is ${figureInWords(100 * largest, 3)} %. A threshold on it would hold it.`;
    });
}

/** Before and after of one metric; what was not measured is NaN. */
function changeOf(kind: MetricKind, baseline = Number.NaN, measured = Number.NaN): ObservedMetric {
  return { kind, baseline, measured, degradation: degradation(baseline, measured, kind) };
}
