import type { InshrinkeratorConfig } from '../../../../checkpoint/options/methods/inshrinkerator-config.ts';
// eslint-disable-next-line max-len
import type { InshrinkeratorSearchOptions } from '../../../../checkpoint/options/methods/inshrinkerator-search-options.ts';
import { ConfigCube, type PruneMetric } from './config-cube.ts';
import { searchDeltaNeighbourhood } from './delta-neighbourhood.ts';
import { searchGuidedExhaustive } from './guided-exhaustive.ts';
import { scanCube } from './scan-cube.ts';
import type { FoundConfig, TrialRunner } from '../../../../search/trial-runner.ts';

export interface ConfigSearch {
  readonly options: InshrinkeratorSearchOptions;
  readonly model: { readonly hasEmbeddings: boolean; readonly hasSensitivity: boolean };
  /** The config of the previous checkpoint, in this run or the one it was forked from. */
  readonly last?: InshrinkeratorConfig;
}

/**
 * Finds the most aggressive config inside the thresholds. It searches the delta-neighbourhood of the last config. At a
 * run's first checkpoint, or if no neighbour passes, it uses guided exhaustive search, and a plain scan if that fails
 * too. Of all configs tried, the cheapest that passed wins, also if the trials are used up before a strategy has ended.
 * Undefined when nothing passes. `neverMoreAggressive` restricts every strategy.
 */
export async function searchConfig(search: ConfigSearch, runner: TrialRunner): Promise<FoundConfig | undefined> {
  const { options, model, last } = search;
  const whole = new ConfigCube(options, model);
  const cube = last !== undefined && options.neverMoreAggressive ? whole.noMoreAggressiveThan(last) : whole;
  const metrics: PruneMetric[] = model.hasSensitivity ? ['magnitude', 'sensitivity'] : ['magnitude'];
  const near =
    last === undefined
      ? undefined
      : await searchDeltaNeighbourhood(cube, last, { radius: options.neighbourhoodRadius, metrics }, runner);
  if (near === undefined && (await searchGuidedExhaustive(cube, metrics, runner)) === undefined)
    await scanCube(cube, metrics, runner);
  return runner.cheapestPassed();
}
