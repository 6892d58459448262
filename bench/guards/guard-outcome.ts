import type { CheckpointResult } from '../../src/catalog/contract/checkpoint-records.ts';
import { defaultSearchOptions } from '../../src/checkpoint/options/search-options.ts';
import type { EvalSetSpec } from '../../src/checkpoint/quality/eval-set-spec.ts';
import { isDivergence } from '../../src/checkpoint/quality/metric-kind.ts';
import { observedMetrics } from '../../src/checkpoint/quality/observed-metrics.ts';
import type { MetricValues } from '../../src/checkpoint/quality/quality.ts';
import { divergenceLimits } from '../../src/compress/measure/divergence-limits.ts';
import type { CheckpointWeights } from '../compression/series/checkpoint-weights.ts';
import type { StoredCheckpoint } from '../compression/series/stored-series.ts';
import { weightError } from '../series/weight-error.ts';

/** What a stored checkpoint is beside the upload, in the spaces that the guards look at. */
export interface GuardOutcome {
  /** The quantized tensor with the largest error relative to its weights; absent if nothing was quantized. */
  readonly worstTensor?: { readonly name: string; readonly relativeError: number };
  /** Quantized tensors that came back as one value though they were not. */
  readonly constantTensors: number;
  /** The largest divergence of outputs, in parts of what its guard allows; absent if nothing bounds any. */
  readonly divergence?: number;
  /** The metric without a threshold that became worse by the most, relative to the upload; absent if there is none. */
  readonly otherMetric?: { readonly name: string; readonly degradation: number };
  /** Whether the hub warned of a metric without a threshold. */
  readonly warned: boolean;
}

/** Compares a stored checkpoint with its upload. `spec` is that of the eval set. */
export function guardOutcome(
  stored: StoredCheckpoint,
  checkpoint: CheckpointWeights,
  { result, spec }: { readonly result: CheckpointResult; readonly spec: EvalSetSpec },
): GuardOutcome {
  const uploaded = new Map(checkpoint.tensors.map(({ name, values }) => [name, values]));
  const errors = stored.tensors.flatMap(({ name, values }) => {
    const weights = uploaded.get(name);
    return weights === undefined ? [] : [weightError({ name, weights, rebuilt: values })];
  });
  const worst = largest(errors, ({ relativeError }) => relativeError);
  const divergence = divergenceShare(result, spec);
  const otherMetric = worstOtherMetric(result);
  return {
    ...(worst !== undefined && { worstTensor: { name: worst.name, relativeError: worst.relativeError } }),
    constantTensors: errors.filter(({ collapsed }) => collapsed).length,
    ...(divergence !== undefined && { divergence }),
    ...(otherMetric !== undefined && { otherMetric }),
    warned: result.warnings.some((warning) => warning.includes(' is not bounded and ')),
  };
}

/** The largest divergence in parts of its limit. */
function divergenceShare({ limits = {}, baseline, observed = {} }: CheckpointResult, spec: EvalSetSpec) {
  const metrics = [...spec.metrics, ...observedMetrics(spec)];
  const before: MetricValues = {
    ...Object.fromEntries(Object.entries(observed).map(([name, { baseline: value }]) => [name, value])),
    ...baseline,
  };
  const thresholds = Object.fromEntries(
    Object.entries(limits).map(([name, { degradationMax }]) => [name, degradationMax]),
  );
  const { divergenceMax } = defaultSearchOptions;
  if (divergenceMax === undefined) return undefined;
  const allowed = divergenceLimits({ metrics, thresholds, baseline: before, divergenceMax });
  const shares = Object.entries(allowed).flatMap(([name, limit]) => {
    const measured = observed[name]?.measured;
    return measured === undefined ? [] : [measured / limit];
  });
  return largest(shares, (share) => share);
}

/** Of the metrics that are relative to the upload and have no threshold. */
function worstOtherMetric({ limits = {}, degradation = {}, observed = {} }: CheckpointResult) {
  const others = [
    ...Object.entries(degradation).map(([name, value]) => ({ name, degradation: value })),
    ...Object.entries(observed).flatMap(([name, metric]) =>
      isDivergence(metric.kind) || metric.kind === 'agreement' ? [] : [{ name, degradation: metric.degradation }],
    ),
  ].filter(({ name }) => !Object.hasOwn(limits, name));
  return largest(others, ({ degradation: worse }) => worse);
}

function largest<T>(items: readonly T[], sizeOf: (item: T) => number): T | undefined {
  return items.reduce<T | undefined>(
    (most, item) => (most === undefined || sizeOf(item) > sizeOf(most) ? item : most),
    undefined,
  );
}
