import type { MetricLimit } from '../../checkpoint/quality/degradation-limits.ts';
import type { AncestorCandidate } from '../ancestor/find-ancestor.ts';

type Limits = Readonly<Record<string, MetricLimit>>;

/**
 * What may be lost of the metrics, relative to the nearest earlier checkpoint that has a config: the smallest share of
 * any metric, at most 1. Undefined where no threshold has `progress`, or a limit is not known: the config of that
 * checkpoint is then as good a start as any.
 */
export function limitsTightened(
  limits: Limits | undefined,
  candidates: readonly AncestorCandidate[],
): number | undefined {
  const last = candidates.find(({ checkpoint }) => checkpoint.result?.config !== undefined)?.checkpoint.result?.limits;
  if (limits === undefined || last === undefined) return undefined;
  if (Object.values(limits).every(({ withoutProgress }) => withoutProgress === undefined)) return undefined;
  const shares = Object.entries(limits).map(([name, { degradationMax }]) => {
    const before = last[name]?.degradationMax ?? 0;
    return degradationMax > 0 && before > 0 ? degradationMax / before : 1;
  });
  return Math.min(1, ...shares);
}
