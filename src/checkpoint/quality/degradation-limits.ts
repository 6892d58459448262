import type { MetricSpec } from './eval-set-spec.ts';
import { metricKindRules, needsReference, type MetricKind } from './metric-kind.ts';
import {
  baselineMagnitudeMin,
  defaultThreshold,
  type DegradationLimits,
  type MetricValues,
  type QualityThreshold,
  type QualityThresholds,
  type ThresholdBounds,
} from './quality.ts';

/** An uploaded checkpoint that was measured. */
export interface MeasuredUpload {
  /** Name of its run. */
  readonly run: string;
  readonly step: number;
  /** Values on the uploaded weights, by metric. */
  readonly metrics: MetricValues;
}

/** What training gained in a metric. */
export interface TrainingGain {
  /** The upload that it is measured from, and its value. */
  readonly run: string;
  readonly step: number;
  readonly value: number;
  /** Checkpoints from there to this one: 1 if it is the checkpoint before. */
  readonly checkpoints: number;
  /** In the metric's own unit, divided by `checkpoints`; above 0. */
  readonly perCheckpoint: number;
}

/** How much one metric may degrade in one checkpoint. */
export interface MetricLimit {
  /** In the unit of a degradation of the metric's kind. */
  readonly degradationMax: number;
  /** The bound that is the tightest. */
  readonly boundBy: keyof ThresholdBounds;
  /** The same without `progress`; absent if `progress` is not given. */
  readonly withoutProgress?: number;
  /** The gain that `progress` is a share of; absent if it is not given, or if nothing was gained. */
  readonly gain?: TrainingGain;
}

export interface LimitBasis {
  readonly metrics: readonly MetricSpec[];
  readonly thresholds: QualityThresholds;
  /** Metrics of the uploaded weights. */
  readonly baseline: MetricValues;
  /** Uploads that this checkpoint was trained through and that were measured in the same way, the nearest first. */
  readonly earlier: readonly MeasuredUpload[];
}

/** Uploads that a gain is looked for in. Further back, training was another: its pace says little about now. */
export const gainLookBackMax = 8;

/**
 * `progress` makes a threshold at most this many times tighter. Gains become small near convergence, and by noise they
 * may be any fraction of the usual one; without an end every such checkpoint would have to be stored exact. A tenth of
 * the loss allowed takes steps of about a third, or 1.7 bits more a weight.
 */
export const progressTighteningMax = 10;

/** The bounds of a threshold; a number is the usual bound of the kind. */
export function boundsOf(threshold: QualityThreshold, kind: MetricKind): ThresholdBounds {
  return typeof threshold === 'number' ? { [metricKindRules[kind].bound]: threshold } : threshold;
}

/** The bounds without `progress`, which has the default beside it if it is given alone. */
export function boundsBesideProgress({ relative, absolute }: ThresholdBounds): Omit<ThresholdBounds, 'progress'> {
  return relative === undefined && absolute === undefined ? { relative: defaultThreshold } : { relative, absolute };
}

/** The limit of every bounded metric that the eval set has, in the order of the thresholds. */
export function metricLimits({
  metrics,
  thresholds,
  baseline,
  earlier,
}: LimitBasis): Readonly<Record<string, MetricLimit>> {
  const limits: Record<string, MetricLimit> = {};
  for (const [name, threshold] of Object.entries(thresholds)) {
    const kind = metrics.find((metric) => metric.name === name)?.kind ?? 'loss';
    const value = baseline[name] ?? Number.NaN;
    const values = earlier.flatMap(({ metrics: found, ...upload }): UploadValue[] =>
      Number.isFinite(found[name]) ? [{ ...upload, value: found[name]! }] : [],
    );
    limits[name] = limitOf(boundsOf(threshold, kind), { kind, value, gain: trainingGain(kind, value, values) });
  }
  return limits;
}

/** The largest degradations alone. */
export function degradationLimits(limits: Readonly<Record<string, MetricLimit>>): DegradationLimits {
  return Object.fromEntries(Object.entries(limits).map(([name, { degradationMax }]) => [name, degradationMax]));
}

type UploadValue = Omit<MeasuredUpload, 'metrics'> & { readonly value: number };

/**
 * What training gained in a metric: since the checkpoint before. If the metric is no better than there, then per
 * checkpoint since the nearest of the last {@link gainLookBackMax} that it is better than, because noise hides the
 * progress of a single checkpoint sooner than that of several. Undefined if it is better than none of them, and for
 * metrics that compare with the uploaded model itself.
 */
function trainingGain(kind: MetricKind, value: number, earlier: readonly UploadValue[]): TrainingGain | undefined {
  if (needsReference(kind)) return undefined;
  const sign = metricKindRules[kind].higherIsBetter ? 1 : -1;
  for (const [at, upload] of earlier.slice(0, gainLookBackMax).entries()) {
    const gain = sign * (value - upload.value);
    const checkpoints = at + 1;
    if (gain > 0) return { ...upload, checkpoints, perCheckpoint: gain / checkpoints };
  }
  return undefined;
}

function limitOf(
  { progress, ...others }: ThresholdBounds,
  { kind, value, gain }: { readonly kind: MetricKind; readonly value: number; readonly gain: TrainingGain | undefined },
): MetricLimit {
  const { relative = Infinity, absolute = Infinity } = progress === undefined ? others : boundsBesideProgress(others);
  const { bound } = metricKindRules[kind];
  // A degradation of these kinds is the change itself; of the others it is a share of the value.
  const inUnit = bound === 'absolute' ? 1 : Math.max(Math.abs(value), baselineMagnitudeMin);
  // Nothing passes if the value is not finite.
  const ofAbsolute = Number.isFinite(inUnit) ? absolute / inUnit : 0;
  const plain: MetricLimit =
    ofAbsolute < relative
      ? { degradationMax: ofAbsolute, boundBy: 'absolute' }
      : { degradationMax: relative, boundBy: 'relative' };
  if (progress === undefined) return plain;
  const withoutProgress = plain.degradationMax;
  if (gain === undefined) return { ...plain, withoutProgress };
  const share = Math.max((progress * gain.perCheckpoint) / inUnit, withoutProgress / progressTighteningMax);
  return share < withoutProgress
    ? { degradationMax: share, boundBy: 'progress', withoutProgress, gain }
    : { ...plain, withoutProgress, gain };
}
