import type { QuantizationConfig } from '../checkpoint/quantization-config.ts';
import type { SearchOptions } from '../checkpoint/search-options.ts';
import { ConfigCube, type PruneMetric } from './config-cube.ts';
import { searchDeltaNeighbourhood } from './delta-neighbourhood.ts';
import { searchGuidedExhaustive, type FoundConfig } from './guided-exhaustive.ts';
import { scanCube } from './scan-cube.ts';
import type { TrialRunner } from './trial-runner.ts';

export interface ConfigSearch {
  readonly options: SearchOptions;
  readonly model: { readonly hasEmbeddings: boolean; readonly hasSensitivity: boolean };
  /** The config of the checkpoint before, in this run or the one it was forked from. */
  readonly last?: QuantizationConfig;
}

/**
 * The most aggressive config inside the thresholds: delta-neighbourhood around the last one, guided exhaustive search at a run's first
 * checkpoint or when the neighbourhood has none, and a plain scan where that fails too. Undefined when nothing passes.
 */
export async function searchConfig(search: ConfigSearch, runner: TrialRunner): Promise<FoundConfig | undefined> {
  const cube = new ConfigCube(search.options, search.model);
  const metrics: PruneMetric[] = search.model.hasSensitivity ? ['magnitude', 'sensitivity'] : ['magnitude'];
  if (search.last !== undefined) {
    const { neighbourhoodRadius: radius, neverMoreAggressive } = search.options;
    const found = await searchDeltaNeighbourhood(cube, search.last, { radius, neverMoreAggressive, metrics }, runner);
    if (found !== undefined) return found;
  }
  return (await searchGuidedExhaustive(cube, metrics, runner)) ?? scanCube(cube, metrics, runner);
}
