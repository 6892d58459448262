import type { SearchOption } from './methods/method-config.ts';
import {
  methodConfigs,
  type MethodSearchOptions,
  type QuantizationConfig,
  type QuantizationMethod,
} from './quantization-config.ts';

/** Batches on which the thresholds must hold: the whole eval set, or each half of its batches too. */
export const evalBatchesChoices = ['all', 'halves'] as const;
export type EvalBatches = (typeof evalBatchesChoices)[number];

/**
 * Two programs that compute one metric from the same weights and batches differ by less than a percent, whatever their
 * precision.
 */
export const expectsWithinDefault = 0.01;

/** Options of a run's search that are of no method. */
export interface CommonSearchOptions {
  readonly method: QuantizationMethod;
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
  /**
   * Largest root mean square error of a quantized tensor, in standard deviations of its weights: 1 is the error of
   * replacing all weights by their mean. Absent: no bound, as in runs from before there was one.
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
  /** A given config is used as it is, without a search. */
  readonly fixedConfig?: QuantizationConfig;
}

/** How a run's checkpoints are searched; fixed when the run is created, and stored as one JSON object. */
export type SearchOptions = CommonSearchOptions & MethodSearchOptions;

/**
 * Search options as a request gives them, in today's spelling. Those that are absent keep what the run would have
 * without them; null removes a bound.
 */
export type GivenSearchOptions = {
  readonly [Option in Exclude<keyof SearchOptions, 'weightErrorMax' | 'divergenceMax'>]?:
    SearchOptions[Option] | undefined;
} & {
  readonly weightErrorMax?: number | null | undefined;
  readonly divergenceMax?: number | null | undefined;
};

const commonDefaults: CommonSearchOptions = {
  method: 'residual',
  trialsMax: 64,
  evalBatches: 'all',
  weightErrorMax: 0.5,
  standardErrors: 1,
  divergenceMax: 1,
  expectsWithin: expectsWithinDefault,
};

/** Every option that a method owns, by name. Throws an Error if two methods have one of the same name. */
function listMethodOptions(): ReadonlyMap<string, SearchOption<unknown>> {
  const all = methodConfigs.flatMap(({ searchOptions }) => Object.entries<SearchOption<unknown>>({ ...searchOptions }));
  const byName = new Map(all);
  if (byName.size < all.length) throw new Error('two methods have a search option of the same name');
  return byName;
}

const methodOptions = listMethodOptions();

/** Defaults of all methods' options: a run keeps them, whichever method it has. */
export const defaultSearchOptions: SearchOptions = {
  ...commonDefaults,
  ...(Object.fromEntries([...methodOptions].map(([name, { default: value }]) => [name, value])) as MethodSearchOptions),
};
