import { axisLengthMax, type SearchOption } from './method-config.ts';

/**
 * How codebooks of `inshrinkerator` are made: the paper's k-means, k-means without chance, or cells that cost least in
 * error and bits together.
 */
export const clusteringChoices = ['kmeanspp', 'optimal', 'entropy'] as const;
export type ClusteringChoice = (typeof clusteringChoices)[number];

/**
 * Source of the seed of `kmeanspp`: one seed for the run, so that codebooks stay the same while weights do, or one for
 * each checkpoint.
 */
export const codebookSeedChoices = ['run', 'checkpoint'] as const;
export type CodebookSeedChoice = (typeof codebookSeedChoices)[number];

/**
 * From a price at which few cells besides the one around zero are left, down to below k-means' own slope of error over
 * bits (1.4); octaves.
 */
export const defaultBitPrices: readonly number[] = [32, 16, 8, 4, 2, 1];

/** Options of a run's search that concern the paper's method alone. The first five are the axes of its config cube. */
export interface InshrinkeratorSearchOptions {
  /** From most to least aggressive, as every axis is. */
  readonly bins: readonly number[];
  readonly embeddingBins: readonly number[];
  readonly pruneFractions: readonly number[];
  readonly protectFractions: readonly number[];
  /** For the clustering `entropy` only; absent in runs from before it existed. */
  readonly bitPrices?: readonly number[];
  /** Steps of the delta-neighbourhood along each axis. */
  readonly neighbourhoodRadius: number;
  /** The paper's rule: later searches exclude configs more aggressive than the last one. */
  readonly neverMoreAggressive: boolean;
  readonly clustering: ClusteringChoice;
  /** Absent in runs from before there was a choice: `run`. */
  readonly codebookSeed?: CodebookSeedChoice;
}

/** The axes are the cube of Inshrinkerator table 9. */
export const inshrinkeratorSearchOptions: {
  readonly [Option in keyof InshrinkeratorSearchOptions]-?: SearchOption<InshrinkeratorSearchOptions[Option]>;
} = {
  bins: { axisOf: 'bins', default: [4, 6, 8, 12, 16, 32] },
  embeddingBins: { axisOf: 'embeddingBins', default: [16, 32] },
  pruneFractions: { axisOf: 'pruneFraction', default: [0.5, 0.4, 0.3, 0.2, 0.1, 0] },
  protectFractions: { axisOf: 'protectFraction', default: [0.0005, 0.005, 0.01] },
  bitPrices: {
    axisOf: 'bitPrice',
    default: defaultBitPrices,
    optional: true,
    description:
      'Of the clustering `entropy`: what a bit a weight is worth, in the squared error that optimal k-means ' +
      'leaves with as many bins.',
  },
  neighbourhoodRadius: {
    field: { kind: 'integer', min: 0, max: axisLengthMax },
    default: 1,
    description: 'From the second checkpoint on: how many places on each axis a config may be from the last one.',
  },
  neverMoreAggressive: {
    field: { kind: 'flag' },
    default: false,
    description: 'From the second checkpoint on: no config is tried that is more aggressive than the last one.',
  },
  clustering: {
    field: { kind: 'choice', values: clusteringChoices },
    default: 'kmeanspp',
    description:
      'How codebooks of `inshrinkerator` are made: `kmeanspp` as the paper does, `optimal` as the best ' +
      'k-means there is, or `entropy` as the cells that cost least in ' +
      'squared error and in bits together, at the prices of `bitPrices`.',
  },
  codebookSeed: {
    field: { kind: 'choice', values: codebookSeedChoices },
    default: 'run',
    optional: true,
    description:
      'Of the clustering `kmeanspp`: with `run` one seed serves all checkpoints of a run, so that codebooks ' +
      'of weights that stay do too; with `checkpoint` each has a fresh one.',
  },
};
