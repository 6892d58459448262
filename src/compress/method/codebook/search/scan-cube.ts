import type { ConfigCube, PruneMetric } from './config-cube.ts';
import type { FoundConfig, TrialRunner } from '../../../../search/trial-runner.ts';

/**
 * Share of the remaining trials that goes to the cheapest configs, one after another, if there are too few trials for
 * all.
 */
const cheapestShare = 0.5;

/**
 * Tries every config that the search has not tried yet in order of estimated bytes until one passes. This is the last
 * resort if quality is not monotone along the axes, as with a nearly untrained model whose accuracy is noise. If there
 * are too few trials for all configs, half of them go to the cheapest and the others are spread evenly over the rest.
 * So a model that only weak configs leave intact still finds one. When one of these passes, the configs skipped just
 * before it are tried too. The result is in `runner.cheapestPassed`.
 */
export async function scanCube(cube: ConfigCube, metrics: readonly PruneMetric[], runner: TrialRunner): Promise<void> {
  if (runner.exhausted) return;
  const ranked = await rankAll(cube, metrics, runner);
  const tried = spread(ranked.length, runner.trialsLeft);
  const passing = await firstPassing(tried, ranked, runner);
  if (passing === undefined) return;
  const skipped = range((tried[tried.indexOf(passing) - 1] ?? -1) + 1, passing);
  await firstPassing(skipped, ranked, runner);
}

/** In order of estimated bytes, the cheapest first. */
async function rankAll(
  cube: ConfigCube,
  metrics: readonly PruneMetric[],
  runner: TrialRunner,
): Promise<readonly FoundConfig[]> {
  const ranked: FoundConfig[] = [];
  for (const metric of metrics) {
    for (const point of cube.points()) {
      const config = cube.config(point, metric);
      // Without pruning, both metrics give the same quantizer.
      if ((config.pruneFraction === 0 && metric !== metrics[0]) || runner.wasAsked(config)) continue;
      ranked.push({ config, estimatedBytes: await runner.estimate(config) });
    }
  }
  return ranked.sort((a, b) => a.estimatedBytes - b.estimatedBytes);
}

/**
 * Ascending places of at most `trials` of `count` configs: all of them, or the first ones and then evenly spaced ones
 * up to the last.
 */
function spread(count: number, trials: number): readonly number[] {
  if (count <= trials) return range(0, count);
  const first = Math.floor(trials * cheapestShare);
  const spaced = trials - first;
  return [
    ...range(0, first),
    ...range(1, spaced + 1).map((i) => first - 1 + Math.round((i * (count - first)) / spaced)),
  ];
}

/** The first of the given places whose config passes; undefined if none does before the trials are used up. */
async function firstPassing(
  places: readonly number[],
  ranked: readonly FoundConfig[],
  runner: TrialRunner,
): Promise<number | undefined> {
  for (const [i, place] of places.entries()) {
    if (runner.exhausted) return undefined;
    const next = places.slice(i + 1).map((other) => ranked[other]!.config);
    if ((await runner.trial(ranked[place]!.config, next)).passed) return place;
  }
  return undefined;
}

/** From `first` up to, not including, `end`. */
function range(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, i) => first + i);
}
