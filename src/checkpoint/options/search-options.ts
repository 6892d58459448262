import type { QuantizationConfig, QuantizationMethod } from './quantization-config.ts';

/** Batches on which the thresholds must hold: the whole eval set, or each half of its batches too. */
export const evalBatchesChoices = ['all', 'halves'] as const;
export type EvalBatches = (typeof evalBatchesChoices)[number];

/**
 * When the residual method moves a weight: whenever another step is nearer, so that the rebuilt model follows training
 * without a lag; or, for checkpoints that nobody will train on, only if the gain justifies the bits (the weight is well
 * beyond half a step).
 */
export const roundingChoices = ['nearest', 'archive'] as const;
export type RoundingChoice = (typeof roundingChoices)[number];
/** What requests called `archive` before it had that name; still accepted. */
export const archiveBefore = 'dead-zone';

/**
 * The gain that a weight of the residual method needs to leave its step: the same for all, or equal to the bits that
 * its move costs more than staying.
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

/**
 * Two programs that compute one metric from the same weights and batches differ by less than a percent, whatever their
 * precision.
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
  /** For the clustering `entropy` only; absent in runs from before it existed. */
  readonly bitPrices?: readonly number[];
  /** Steps of the delta-neighbourhood along each axis. */
  readonly neighbourhoodRadius: number;
  /** The paper's rule: later searches exclude configs more aggressive than the last one. */
  readonly neverMoreAggressive: boolean;
  /**
   * Most evaluated trials of one checkpoint; beyond it the best passing config so far wins, or the checkpoint is stored
   * exact.
   */
  readonly trialsMax: number;
  /**
   * With `halves`, a config must pass on the even batches and be confirmed on the odd ones, so that a search cannot fit
   * one half.
   */
  readonly evalBatches: EvalBatches;
  readonly rounding: RoundingChoice;
  /** Absent in runs from before there was a choice: `fixed`. */
  readonly hysteresis?: Hysteresis;
  /**
   * Largest root mean square error of a quantized tensor, in standard deviations of its weights: 1 is the error of
   * replacing all weights by their mean. Of given configs for the method `residual` only. Absent: no bound, as in runs
   * from before there was one.
   */
  readonly weightErrorMax?: number;
  /**
   * How many standard errors over examples a degradation is inside its threshold by; at 1 it also holds for other
   * examples of the same distribution in five of six cases. Absent in runs from before it existed: 0.
   */
  readonly standardErrors?: number;
  /**
   * How far the outputs of the rebuilt model may be from the uploaded model's, in multiples of what the thresholds let
   * the loss grow. Absent: no bound, as in runs from before there was one.
   */
  readonly divergenceMax?: number;
  /**
   * How far Firn's measurement of an uploaded model may be from the reported figure (`Checkpoint.expects`), relative to
   * that figure, for the checkpoint to be quantized. Absent in runs from before it existed: `expectsWithinDefault`.
   */
  readonly expectsWithin?: number;
  readonly clustering: ClusteringChoice;
  /** Absent in runs from before there was a choice: `run`. */
  readonly codebookSeed?: CodebookSeedChoice;
  /** A given config is used as it is, without a search. */
  readonly fixedConfig?: QuantizationConfig;
}

/**
 * Search options as a request gives them. Those that are absent keep what the run would have without them; null removes
 * a bound.
 */
export type GivenSearchOptions = {
  readonly [Option in Exclude<keyof SearchOptions, 'rounding' | 'weightErrorMax' | 'divergenceMax'>]?:
    SearchOptions[Option] | undefined;
} & {
  readonly rounding?: RoundingChoice | typeof archiveBefore | undefined;
  readonly weightErrorMax?: number | null | undefined;
  readonly divergenceMax?: number | null | undefined;
};

/** The residual method; for runs that use the paper's method, the cube of Inshrinkerator table 9. */
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
  rounding: 'nearest',
  hysteresis: 'fixed',
  weightErrorMax: 0.5,
  standardErrors: 1,
  divergenceMax: 1,
  expectsWithin: expectsWithinDefault,
  clustering: 'kmeanspp',
  codebookSeed: 'run',
};
