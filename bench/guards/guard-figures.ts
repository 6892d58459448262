import type { LeadingMetric } from '../../src/checkpoint/quality/as-good-as.ts';
import { totalBytes, type CheckpointOutcome, type MethodResult } from '../compression/method-result.ts';
import { methodLag } from '../compression/report/method-lag.ts';

/** What the guards kept over a series, and what that took. */
export interface GuardFigures {
  readonly method: string;
  readonly checkpointCount: number;
  readonly bytes: number;
  /** Checkpoints that no config made smaller within the guards. */
  readonly exactCount: number;
  /** How many steps behind training what comes back is in the mean, at least; absent if that is not known. */
  readonly lag?: { readonly meanSteps: number; readonly atLeast: boolean };
  /** Configs measured on the eval set, mean over the checkpoints after the first. */
  readonly evaluationsMean: number;
  /** The largest error of a quantized tensor relative to its weights, over all checkpoints. */
  readonly worstTensorError: number;
  readonly constantTensors: number;
  /** Share of the movement since the checkpoint before that is missing, mean over checkpoints; negative: ahead. */
  readonly movementLostMean: number;
  /** The largest divergence of outputs in parts of its limit; absent if nothing bounds any. */
  readonly divergenceWorst?: number;
  /** The metric without a threshold that became worse by the most; absent if there is none. */
  readonly otherMetricWorst?: { readonly name: string; readonly degradation: number };
  /** Checkpoints in which the hub warned of such a metric. */
  readonly warnedCount: number;
  /** Absent without fresh examples. */
  readonly fresh?: FreshFigures;
}

export interface FreshFigures {
  /** Checkpoints beyond a threshold. */
  readonly beyond: number;
  /** The largest degradation of a bounded metric. */
  readonly worst: number;
}

/**
 * Sums up a hub method's run. The lag is read off the curve of `leading`. Throws an Error if a checkpoint was not
 * compared with the guards.
 */
export function guardFigures(
  result: MethodResult,
  { thresholds, leading }: { readonly thresholds: Readonly<Record<string, number>>; readonly leading: LeadingMetric },
): GuardFigures {
  const { outcomes } = result;
  const lag = methodLag(result, leading);
  const guards = outcomes.map(({ step, guards: found }) => {
    if (found === undefined) throw new Error(`${result.name}@${step} was not compared with the guards`);
    return found;
  });
  const divergences = guards.flatMap(({ divergence }) => divergence ?? []);
  const others = guards.flatMap(({ otherMetric }) => otherMetric ?? []);
  const fresh = freshFigures(outcomes, thresholds);
  return {
    method: result.name,
    checkpointCount: outcomes.length,
    bytes: totalBytes(result),
    exactCount: outcomes.filter(({ knob }) => knob === 'exact').length,
    ...(lag !== undefined && { lag: { meanSteps: lag.meanLagSteps, atLeast: lag.beforeFirst > 0 } }),
    evaluationsMean: mean(outcomes.slice(1).map(({ evaluations }) => evaluations)),
    worstTensorError: Math.max(0, ...guards.map(({ worstTensor }) => worstTensor?.relativeError ?? 0)),
    constantTensors: guards.reduce((sum, { constantTensors }) => sum + constantTensors, 0),
    movementLostMean: mean(outcomes.flatMap(({ movementLost }) => movementLost ?? [])),
    ...(divergences.length > 0 && { divergenceWorst: Math.max(...divergences) }),
    ...(others.length > 0 && {
      otherMetricWorst: others.reduce((most, other) => (other.degradation > most.degradation ? other : most)),
    }),
    warnedCount: guards.filter(({ warned }) => warned).length,
    ...(fresh !== undefined && { fresh }),
  };
}

function freshFigures(
  outcomes: readonly CheckpointOutcome[],
  thresholds: Readonly<Record<string, number>>,
): FreshFigures | undefined {
  const measured = outcomes.flatMap(({ freshDegradation: found }) => (found === undefined ? [] : [found]));
  if (measured.length !== outcomes.length) return undefined;
  const bounded = Object.entries(thresholds);
  return {
    beyond: measured.filter((metrics) => bounded.some(([name, threshold]) => !(metrics[name]! <= threshold))).length,
    worst: Math.max(...measured.flatMap((metrics) => bounded.map(([name]) => metrics[name]!))),
  };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
