import { checkConfigCount, configsMax } from './config-count.ts';
import { inshrinkeratorSearchOptions, type InshrinkeratorSearchOptions } from './inshrinkerator-search-options.ts';
import { checkLevelCounts } from './level-counts.ts';
import type { MethodConfig } from './method-config.ts';

/** A point of the paper's search space (Inshrinkerator section 5, tables 2 and 9). */
export interface InshrinkeratorConfig {
  readonly method: 'inshrinkerator';
  /** Bins of linear and convolution layers, 2..256. */
  readonly bins: number;
  /** Bins of embeddings, 2..256. Embeddings are never pruned. */
  readonly embeddingBins: number;
  /** Share of each layer type's weights set to zero, 0 <= f < 1. */
  readonly pruneFraction: number;
  readonly pruneMetric: 'magnitude' | 'sensitivity';
  /** Share of all quantized weights stored in bfloat16: half by magnitude, half by sensitivity, 0 <= f < 1. */
  readonly protectFraction: number;
  /**
   * For entropy-constrained codebooks (docs/decisions/0021-entropy-constrained-codebooks.md): the price of one bit a
   * weight, in units of the squared error that optimal k-means leaves with as many bins, 0..1024. Absent: the paper's
   * k-means.
   */
  readonly bitPrice?: number | undefined;
}

export const bitPriceMax = 1024;

export const inshrinkeratorConfig: MethodConfig<InshrinkeratorConfig, InshrinkeratorSearchOptions> = {
  method: 'inshrinkerator',
  schemaName: 'InshrinkeratorConfig',
  fields: {
    bins: { kind: 'integer', min: 2, max: 256 },
    embeddingBins: { kind: 'integer', min: 2, max: 256 },
    pruneFraction: { kind: 'number', min: 0, below: 1 },
    protectFraction: { kind: 'number', min: 0, below: 1 },
    bitPrice: {
      kind: 'number',
      min: 0,
      max: bitPriceMax,
      optional: true,
      description:
        'Codebooks are entropy-constrained: what a bit a weight is worth, in the squared error that optimal ' +
        'k-means leaves with as many bins. Without it they are k-means.',
    },
    pruneMetric: { kind: 'choice', values: ['magnitude', 'sensitivity'], default: 'magnitude' },
  },
  example: {
    method: 'inshrinkerator',
    bins: 8,
    embeddingBins: 16,
    pruneFraction: 0.2,
    pruneMetric: 'magnitude',
    protectFraction: 0.005,
  },
  searchOptions: inshrinkeratorSearchOptions,
  searchDescription:
    'Axes are those of the method `inshrinkerator` and go from most to least aggressive; ' +
    `together they may span at most ${configsMax} configs, the two prune metrics counted.`,
  unnamed: '`inshrinkerator` by default, where bins are given.',
  mergesDeltas: false,
  key: ({ bins, embeddingBins, pruneFraction, pruneMetric, protectFraction, bitPrice }) => [
    bins,
    embeddingBins,
    pruneFraction,
    pruneMetric,
    protectFraction,
    ...(bitPrice === undefined ? [] : [bitPrice]),
  ],
  describe: ({ bins, embeddingBins, pruneFraction, pruneMetric, protectFraction, bitPrice }) =>
    `${bins}/${embeddingBins} bins, prune ${pruneFraction} ${pruneMetric.slice(0, 4)}, protect ` +
    `${protectFraction}${bitPrice === undefined ? '' : `, bit ${bitPrice}`}`,
  check: (config) =>
    checkLevelCounts({ ...config, prunes: config.pruneFraction > 0, protects: config.protectFraction > 0 }),
  checkSearch: (axes) => {
    checkLevelCounts({
      bins: Math.max(...axes.bins),
      embeddingBins: Math.max(...axes.embeddingBins),
      prunes: axes.pruneFractions.some((fraction) => fraction > 0),
      protects: axes.protectFractions.some((fraction) => fraction > 0),
    });
    checkConfigCount(axes);
  },
};
