import type { ConfigCube, PruneMetric } from './config-cube.ts';
import type { FoundConfig, TrialRunner } from './trial-runner.ts';

/**
 * Tries every config in order of estimated bytes until one passes: the last resort where quality is not monotone along the axes, as with a
 * nearly untrained model whose accuracy is noise. Bounded by the runner's trials.
 */
export async function scanCube(cube: ConfigCube, metrics: readonly PruneMetric[], runner: TrialRunner): Promise<FoundConfig | undefined> {
  if (runner.exhausted) return undefined;
  const ranked: FoundConfig[] = [];
  for (const metric of metrics) {
    for (const point of cube.points()) {
      const config = cube.config(point, metric);
      // Without pruning both metrics give the same quantizer.
      if (config.pruneFraction === 0 && metric !== metrics[0]) continue;
      ranked.push({ config, estimatedBytes: await runner.estimate(config) });
    }
  }
  ranked.sort((a, b) => a.estimatedBytes - b.estimatedBytes);
  for (const [i, candidate] of ranked.entries()) {
    if (runner.exhausted) return undefined;
    const outcome = await runner.trial(
      candidate.config,
      ranked.slice(i + 1).map((next) => next.config),
    );
    if (outcome.passed) return candidate;
  }
  return undefined;
}
