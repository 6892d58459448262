import type { InshrinkeratorConfig } from '../../../../checkpoint/options/methods/inshrinkerator-config.ts';
import { atLeastAsAggressive, type ConfigCube, type CubePoint, type PruneMetric } from './config-cube.ts';
import type { FoundConfig, TrialRunner } from '../../../../search/trial-runner.ts';

export interface NeighbourhoodOptions {
  readonly radius: number;
  /** Both metrics if there are gradients, else magnitude alone. */
  readonly metrics: readonly PruneMetric[];
}

/** The other pruning metric is taken if it is better by more than this, in units of the threshold. */
export const metricFlipGainMin = 0.1;

/**
 * Delta-neighbourhood search (Inshrinkerator section 5). First it tries the last config with the other pruning metric
 * and changes the metric if quality improves clearly. Then it tries the configs at most `radius` steps away, in order
 * of estimated bytes, until one passes. It skips a config at least as aggressive as one that failed. Undefined if none
 * passes before the trials are used up; a config that passed while the metric was chosen is in `runner.cheapestPassed`.
 */
export async function searchDeltaNeighbourhood(
  cube: ConfigCube,
  last: InshrinkeratorConfig,
  options: NeighbourhoodOptions,
  runner: TrialRunner,
): Promise<FoundConfig | undefined> {
  const centre = cube.pointOf(last);
  const metric = await chooseMetric(cube, centre, last.pruneMetric, options, runner);
  if (runner.exhausted) return undefined;
  const candidates = await rank(cube, centre, metric, options, runner);
  const failures: CubePoint[] = [];
  const stillOpen = (point: CubePoint): boolean => !failures.some((failure) => atLeastAsAggressive(point, failure));
  for (const [i, candidate] of candidates.entries()) {
    if (runner.exhausted) return undefined;
    if (!stillOpen(candidate.point)) continue;
    const speculation = candidates
      .slice(i + 1)
      .filter((next) => stillOpen(next.point))
      .map((next) => next.config);
    const outcome = await runner.trial(candidate.config, speculation);
    if (outcome.passed) return { config: candidate.config, estimatedBytes: candidate.estimatedBytes };
    failures.push(candidate.point);
  }
  return undefined;
}

async function chooseMetric(
  cube: ConfigCube,
  centre: CubePoint,
  lastMetric: PruneMetric,
  options: NeighbourhoodOptions,
  runner: TrialRunner,
): Promise<PruneMetric> {
  const other = options.metrics.find((metric) => metric !== lastMetric);
  if (!options.metrics.includes(lastMetric)) return other ?? 'magnitude';
  if (other === undefined || cube.config(centre, other).pruneFraction === 0) return lastMetric;
  const kept = cube.config(centre, lastMetric);
  const flipped = await runner.trial(cube.config(centre, other), [kept]);
  if (runner.exhausted) return lastMetric;
  const unchanged = await runner.trial(kept);
  return flipped.worst < unchanged.worst - metricFlipGainMin ? other : lastMetric;
}

async function rank(
  cube: ConfigCube,
  centre: CubePoint,
  metric: PruneMetric,
  options: NeighbourhoodOptions,
  runner: TrialRunner,
) {
  const ranked = [];
  for (const point of cube.neighbourhood(centre, options.radius)) {
    const config = cube.config(point, metric);
    ranked.push({ point, config, estimatedBytes: await runner.estimate(config) });
  }
  return ranked.sort((a, b) => a.estimatedBytes - b.estimatedBytes || comparePoints(a.point, b.point));
}

function comparePoints(a: CubePoint, b: CubePoint): number {
  const axis = a.findIndex((value, i) => value !== b[i]);
  return axis < 0 ? 0 : a[axis]! - b[axis]!;
}
