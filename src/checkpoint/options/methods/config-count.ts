import { FirnError } from '../../firn-error.ts';
import type { InshrinkeratorSearchOptions } from './inshrinkerator-search-options.ts';

/**
 * Most configs of a run's cube, the two prune metrics counted: twenty times the paper's 432. If quality is not
 * monotone, a checkpoint estimates all of them, each in a pass over (a sample of) the weights.
 */
export const configsMax = 8192;
const pruneMetricCount = 2;

/** Throws `invalid-request` if the axes span more than {@link configsMax} configs. */
export function checkConfigCount(axes: InshrinkeratorSearchOptions): void {
  const prices = axes.clustering === 'entropy' && axes.bitPrices !== undefined ? [axes.bitPrices] : [];
  const all = [axes.bins, axes.embeddingBins, axes.pruneFractions, axes.protectFractions, ...prices];
  const configs = all.reduce((product, axis) => product * axis.length, pruneMetricCount);
  if (configs > configsMax) {
    throw new FirnError(
      'invalid-request',
      `The axes of the search span ${configs} configs, the two prune metrics counted; at most ${configsMax} ` +
        'are allowed.',
    );
  }
}
