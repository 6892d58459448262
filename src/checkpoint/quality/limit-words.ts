import { figureInWords } from '../words/figure-in-words.ts';
import { quoteName } from '../words/quote-name.ts';
import type { EvalSetSpec } from './eval-set-spec.ts';
import { gainLookBackMax, progressTighteningMax, type MetricLimit } from './degradation-limits.ts';
import { metricKindRules } from './metric-kind.ts';
import { baselineMagnitudeMin, type MetricValues } from './quality.ts';

/** Significant digits of a share. */
const digits = 3;

export interface LimitsToSay {
  readonly spec: Pick<EvalSetSpec, 'metrics'>;
  readonly limits: Readonly<Record<string, MetricLimit>>;
  /** Metrics of the uploaded weights. */
  readonly baseline: MetricValues;
  /** Whether some upload that the checkpoint was trained through was measured. */
  readonly hasEarlier: boolean;
}

/** What `progress` came to in one checkpoint: a sentence for each threshold that has it, in the order of the set. */
export function limitsInWords({ spec, limits, baseline, hasEarlier }: LimitsToSay): string[] {
  return spec.metrics.flatMap(({ name, kind }) => {
    const limit = limits[name];
    if (limit?.withoutProgress === undefined) return [];
    const value = baseline[name] ?? Number.NaN;
    const words = limit.gain === undefined ? nothingGained(limit, hasEarlier) : gained(limit, limit.gain, value);
    const verb = metricKindRules[kind].higherIsBetter ? 'rose' : 'fell';
    return [`${quoteName(name)} ${words.replace('%verb', verb)}`];
  });
}

function nothingGained({ degradationMax }: MetricLimit, hasEarlier: boolean): string {
  const why = hasEarlier
    ? `is no better than at any of the last ${gainLookBackMax} checkpoints`
    : 'was measured at no earlier checkpoint';
  return `${why}, so progress bounds nothing: at most ${percent(degradationMax)} may be lost.`;
}

function gained(
  { degradationMax, withoutProgress, boundBy }: MetricLimit,
  { run, step, checkpoints, perCheckpoint }: NonNullable<MetricLimit['gain']>,
  value: number,
): string {
  const share = percent(perCheckpoint / Math.max(Math.abs(value), baselineMagnitudeMin));
  const since = `since step ${step} of run ${quoteName(run)}`;
  const gain =
    checkpoints === 1
      ? `%verb by ${share} ${since}`
      : `is no better than at the checkpoint before; it %verb by ${share} a checkpoint ${since}`;
  const atEnd = degradationMax <= withoutProgress! / progressTighteningMax;
  const why =
    boundBy === 'progress'
      ? `${atEnd ? `, the least that progress leaves of ${percent(withoutProgress!)}` : ''}`
      : ', which is tighter than progress';
  return `${gain}: at most ${percent(degradationMax)} may be lost${why}.`;
}

function percent(share: number): string {
  return `${figureInWords(100 * share, digits)} %`;
}
