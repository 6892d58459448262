import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { EvalSet } from '../../../catalog/contract/eval-set-records.ts';
import type { MetricKind } from '../../../checkpoint/quality/metric-kind.ts';
import { isShare } from './amounts.ts';

export type KindOf = (metric: string) => MetricKind | undefined;

/** Most checkpoints that a chart draws: more could not be told apart, and would make the page large. */
export const drawnMax = 120;
/** Most metrics that have a chart of their own. */
const metricsMax = 6;

/** Names of the metrics that bound these checkpoints, in the order of their first occurrence. */
export function boundedMetrics(checkpoints: readonly Checkpoint[]): string[] {
  const names = new Set(checkpoints.flatMap(({ result }) => Object.keys(result?.limits ?? {})));
  // Results from before limits were kept have thresholds, which are the limits unless progress bounds them.
  for (const { thresholds, result } of checkpoints)
    if (result?.degradation !== undefined) for (const name of Object.keys(thresholds ?? {})) names.add(name);
  return [...names].slice(0, metricsMax);
}

/** The kind of a metric of an eval set; undefined for others, and without a set. */
export function kindsOf(evalSet: Pick<EvalSet, 'spec'> | undefined): KindOf {
  const kinds = new Map(evalSet?.spec.metrics.map(({ name, kind }) => [name, kind]));
  return (metric) => kinds.get(metric);
}

/** The metrics whose loss is told as per cent. */
export function sharesOf(evalSet: Pick<EvalSet, 'spec'> | undefined): string[] {
  return (evalSet?.spec.metrics ?? []).filter(({ kind }) => isShare(kind)).map(({ name }) => name);
}

/** The largest degradation of a metric that passes in a checkpoint; undefined if it is not bounded. */
export function limitOf({ result, thresholds }: Checkpoint, metric: string): number | undefined {
  const limit = result?.limits?.[metric]?.degradationMax;
  if (limit !== undefined) return limit;
  const threshold = thresholds?.[metric];
  return typeof threshold === 'number' ? threshold : (threshold?.relative ?? threshold?.absolute);
}

/** How the bytes of a ready checkpoint are stored, which a colour shows. */
export function keptAs({ result, packageId }: Checkpoint): 'base' | 'delta' | 'exact' {
  if (packageId === undefined) return 'exact';
  return result?.kind === 'delta' ? 'delta' : 'base';
}
