import type { QuantizationConfig, QuantizationMethod } from './quantization-config.ts';

/** On what of the eval set the thresholds must hold: the whole of it, or also on each half of its batches. */
export const evalBatchesChoices = ['all', 'halves'] as const;
export type EvalBatches = (typeof evalBatchesChoices)[number];

/**
 * When the residual method moves a weight: where that is worth its bits (only weights well beyond half a step), or
 * wherever another step is nearer, so that what is rebuilt follows training without a lag.
 */
export const roundingChoices = ['dead-zone', 'nearest'] as const;
export type RoundingChoice = (typeof roundingChoices)[number];

/**
 * What a weight of the residual method has to gain to leave its step: the same for all, or as much as its move costs in
 * bits more than staying.
 */
export const hysteresisChoices = ['fixed', 'priced'] as const;
export type Hysteresis = (typeof hysteresisChoices)[number];

/**
 * How codebooks of `inshrinkerator` are made: the paper's k-means, k-means without chance, or cells that cost least in
 * error and bits together.
 */
export const clusteringChoices = ['kmeanspp', 'optimal', 'entropy'] as const;
export type ClusteringChoice = (typeof clusteringChoices)[number];

/**
 * Where the seed of `kmeanspp` comes from: one of the run, so that weights that stay have codebooks that stay, or one
 * for each checkpoint.
 */
export const codebookSeedChoices = ['run', 'checkpoint'] as const;
export type CodebookSeedChoice = (typeof codebookSeedChoices)[number];

/**
 * From where few cells but the one around zero are left, down to below the slope of error over bits that k-means itself
 * has (1.4); octaves.
 */
export const defaultBitPrices: readonly number[] = [32, 16, 8, 4, 2, 1];

/**
 * Two programs that compute one metric from the same weights and batches are nearer to each other than a percent, in
 * whatever precision each computes.
 */
export const expectsWithinDefault = 0.01;

/** How a run's checkpoints are searched; fixed when the run is created. */
export interface SearchOptions {
  readonly method: QuantizationMethod;
  /** Axes of the config cube of `inshrinkerator`, each from most to least aggressive. */
  readonly bins: readonly number[];
  readonly embeddingBins: readonly number[];
  readonly pruneFractions: readonly number[];
  readonly protectFractions: readonly number[];
  /** Of the clustering `entropy` alone; absent in runs made before there was one. */
  readonly bitPrices?: readonly number[];
  /** Steps of the delta-neighbourhood along each axis. */
  readonly neighbourhoodRadius: number;
  /** The paper's rule that later searches rule out configs more aggressive than the last one. */
  readonly neverMoreAggressive: boolean;
  /**
   * Most evaluated trials of one checkpoint; beyond it the best passing config so far wins, or the checkpoint is stored
   * exact.
   */
  readonly trialsMax: number;
  /**
   * With `halves` a config must pass on the batches with an even number and be confirmed on those with an odd one, so
   * that a search cannot fit one half.
   */
  readonly evalBatches: EvalBatches;
  readonly rounding: RoundingChoice;
  /** Absent in runs made before there was a choice: `fixed`. */
  readonly hysteresis?: Hysteresis;
  /**
   * Largest root mean square error of a quantized tensor, in standard deviations of its weights: 1 is what a tensor
   * loses that comes back as its mean. Of the method `residual`. Absent: no bound.
   */
  readonly weightErrorMax?: number;
  /**
   * How far what Firn measures of an uploaded model may be from what came with it (`Checkpoint.expects`), as a share of
   * that, for the checkpoint to be quantized. Absent in runs made before there was one: `expectsWithinDefault`.
   */
  readonly expectsWithin?: number;
  readonly clustering: ClusteringChoice;
  /** Absent in runs made before there was a choice: `run`. */
  readonly codebookSeed?: CodebookSeedChoice;
  /** A given config is used as it is, without a search. */
  readonly fixedConfig?: QuantizationConfig;
}

/** The residual method; for runs that ask for the paper's, the cube of Inshrinkerator table 9. */
export const defaultSearchOptions: SearchOptions = {
  method: 'residual',
  bins: [4, 6, 8, 12, 16, 32],
  embeddingBins: [16, 32],
  pruneFractions: [0.5, 0.4, 0.3, 0.2, 0.1, 0],
  protectFractions: [0.0005, 0.005, 0.01],
  bitPrices: defaultBitPrices,
  neighbourhoodRadius: 1,
  neverMoreAggressive: false,
  trialsMax: 64,
  evalBatches: 'all',
  rounding: 'dead-zone',
  hysteresis: 'fixed',
  expectsWithin: expectsWithinDefault,
  clustering: 'kmeanspp',
  codebookSeed: 'run',
};
