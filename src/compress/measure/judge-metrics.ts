import type { EvalSetSpec } from '../../checkpoint/quality/eval-set-spec.ts';
import { metricKindRules } from '../../checkpoint/quality/metric-kind.ts';
import {
  baselineMagnitudeMin,
  degradation,
  withinThreshold,
  type DegradationLimits,
  type MetricValues,
  type PartedMetrics,
} from '../../checkpoint/quality/quality.ts';
import type { TrialOutcome } from '../../search/trial-runner.ts';

/**
 * The quality bound of a checkpoint: metrics, their baselines on the uploaded weights, and the largest allowed
 * degradation of each bounded one, on the whole set and on each half; with guards, also what makes the figures hold
 * for examples that the set does not have (docs/decisions/0046-quality-guards.md).
 */
export interface QualityBound {
  readonly spec: EvalSetSpec;
  /** What the thresholds come to in this checkpoint (`degradation-limits.ts`). */
  readonly thresholds: DegradationLimits;
  /** The same without `progress`; absent if nothing of it is. */
  readonly withoutProgress?: DegradationLimits;
  readonly baseline: MetricValues;
  /** Baselines of each half, if the thresholds must hold on both. */
  readonly halfBaselines?: readonly MetricValues[];
  /** How many standard errors are added to a degradation before it is compared with its threshold; none if absent. */
  readonly standardErrors?: number;
  /** Baselines of the groups of rows that standard errors are computed from. */
  readonly groupBaselines?: readonly MetricValues[];
  /** Largest value of each metric that compares with the uploaded model's outputs, by the metric's name. */
  readonly divergences?: Readonly<Record<string, number>>;
}

/** What a trial is judged by: measured now, or recorded before a takeover. */
export interface JudgedMetrics {
  readonly whole: MetricValues;
  readonly halves?: readonly MetricValues[];
  /** Of the metrics that `QualityBound.divergences` bounds and the eval set does not request. */
  readonly observed?: MetricValues;
  /** Of each metric's degradation, in the same unit; absent for metrics that are not finite on every group. */
  readonly standardError?: MetricValues;
}

/**
 * Fewest groups of rows whose spread is taken for a standard error. Of eight it is known to within a quarter, of fewer
 * hardly at all.
 */
export const standardErrorGroupsMin = 8;

/** Relative degradation of every metric of the set. */
export function degradations(bound: QualityBound, metrics: MetricValues): MetricValues {
  return Object.fromEntries(
    bound.spec.metrics.map(({ name, kind }) => [
      name,
      degradation(bound.baseline[name] ?? Number.NaN, metrics[name] ?? Number.NaN, kind),
    ]),
  );
}

/**
 * Standard error of each degradation over examples, in the unit of the degradation: the spread of the change over
 * groups of rows, which are the same rows before and after (a paired comparison), divided by the square root of their
 * number. Empty with fewer than {@link standardErrorGroupsMin} groups.
 */
export function standardErrors(
  { spec, baseline, groupBaselines = [] }: Pick<QualityBound, 'spec' | 'baseline' | 'groupBaselines'>,
  groups: readonly MetricValues[],
): MetricValues {
  if (groups.length < standardErrorGroupsMin || groups.length !== groupBaselines.length) return {};
  const found: Record<string, number> = {};
  for (const { name, kind } of spec.metrics) {
    const changes = groups.map((group, at) => group[name]! - groupBaselines[at]![name]!);
    const mean = changes.reduce((sum, change) => sum + change, 0) / changes.length;
    const squares = changes.reduce((sum, change) => sum + (change - mean) ** 2, 0);
    const error = Math.sqrt(squares / (changes.length - 1) / changes.length);
    if (!Number.isFinite(error)) continue;
    const { bound: unit } = metricKindRules[kind];
    found[name] = unit === 'relative' ? error / Math.max(Math.abs(baseline[name]!), baselineMagnitudeMin) : error;
  }
  return found;
}

/** What a measurement is judged by under a bound. */
export function judgedOf(
  bound: QualityBound,
  { whole, halves, groups, observed }: PartedMetrics & Pick<JudgedMetrics, 'observed'>,
): JudgedMetrics {
  const { divergences = {} } = bound;
  const compared = Object.entries(observed ?? {}).filter(([name]) => Object.hasOwn(divergences, name));
  return {
    whole,
    ...(halves !== undefined && { halves }),
    ...(compared.length > 0 && { observed: Object.fromEntries(compared) }),
    ...(bound.standardErrors !== undefined && { standardError: standardErrors(bound, groups ?? []) }),
  };
}

/**
 * All bounded metrics must be inside their thresholds, with the standard errors that the bound asks for; a non-finite
 * one never is. If the bound has halves, the whole set and each half must pass, and the worst degradation of the three
 * counts. Both halves may pass while the whole set fails if a metric is no mean over positions (`loss` of uneven
 * batches, Pearson's correlation). Divergences must be inside their limits.
 */
export function judgeMetrics(bound: QualityBound, judged: JudgedMetrics): TrialOutcome {
  const { whole: metrics, halves, observed, standardError = {} } = judged;
  const { standardErrors: errors = 0, divergences = {}, halfBaselines = [] } = bound;
  const findings = [
    ...judgeRows(bound, metrics, (name) => errors * (standardError[name] ?? 0)),
    ...halfBaselines.flatMap((baseline, half) => judgeRows({ ...bound, baseline }, halves?.[half] ?? {}, () => 0)),
    ...Object.entries(divergences).map(([name, limit]): Finding => {
      const value = observed?.[name] ?? metrics[name] ?? Number.NaN;
      return { passed: withinThreshold(value, limit), worst: inThresholds(value, limit), uncertain: 0 };
    }),
  ];
  const worst = findings.reduce((most, finding) => (finding.worst > most.worst ? finding : most), noFinding);
  return {
    metrics,
    degradation: degradations(bound, metrics),
    ...(halfBaselines.length > 0 && { halves: halves ?? [] }),
    ...(observed !== undefined && { observed }),
    ...(judged.standardError !== undefined && { standardError }),
    passed: findings.every(({ passed }) => passed),
    worst: worst.worst,
    ...(worst.uncertain > 0 && { uncertain: worst.uncertain }),
  };
}

/** One bounded quantity, in units of its bound. */
interface Finding {
  readonly passed: boolean;
  readonly worst: number;
  /** The part of `worst` that standard errors make. */
  readonly uncertain: number;
}

const noFinding: Finding = { passed: true, worst: -Infinity, uncertain: 0 };

/** One baseline against the values of the same rows; `marginOf` is added to each metric's degradation. */
function judgeRows(bound: QualityBound, metrics: MetricValues, marginOf: (name: string) => number): Finding[] {
  const found = degradations(bound, metrics);
  return Object.entries(bound.thresholds).map(([name, threshold]) => {
    const margin = marginOf(name);
    const reached = (found[name] ?? Number.NaN) + margin;
    const worst = inThresholds(reached, threshold);
    return {
      passed: withinThreshold(reached, threshold),
      worst,
      uncertain: Number.isFinite(worst) && threshold > 0 ? margin / threshold : 0,
    };
  });
}

/** Degradation in units of its threshold; with a threshold of 0 any degradation is infinite. */
function inThresholds(found: number, threshold: number): number {
  if (Number.isNaN(found)) return Infinity;
  if (threshold > 0) return found / threshold;
  return found <= 0 ? 0 : Infinity;
}
