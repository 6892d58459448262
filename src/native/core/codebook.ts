import type { QuantizableDtype } from '../../checkpoint/dtype.ts';
import type { TokenCounts, TokenTables } from './tokens.ts';

/**
 * Quantization to a codebook (Inshrinkerator): sketches, moments, codebooks, levels. `core.ts` says what holds for all
 * calls.
 */
export interface CodebookCalls {
  /**
   * Adds the weights of a block to `sketch` in place; gradients make no difference. Several calls of one core that add
   * to the same sketch may be pending: they run one after the other. Read the sketch (also with buildCodebook) after
   * they have settled.
   */
  sketchValues(block: WeightBlock, sketch: Sketch, signal?: AbortSignal): Promise<void>;
  sketchSensitivity(pair: WeightBlock, sketch: Sketch, signal?: AbortSignal): Promise<void>;
  sketchQuantized(pair: WeightBlock, partition: Partition, sketch: Sketch, signal?: AbortSignal): Promise<void>;
  /**
   * Sums over consecutive parts of a block, of `counts` elements each; the same on every machine. With a name
   * (`HeldNames.weights`) a device adds them up, and holds the weights and gradients from then on.
   */
  weightMoments(
    pair: WeightBlock,
    counts: Uint32Array,
    options?: { readonly name?: string | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<WeightMoments[]>;
  sketchTopThresholdSync(sketch: Sketch, fraction: number): number;
  sketchBottomThresholdSync(sketch: Sketch, fraction: number): number;
  /** Strictly increasing centroids, at most `bins`. */
  buildCodebook(sketch: Sketch, bins: number, options: CodebookOptions, signal?: AbortSignal): Promise<Float32Array>;
  /** At most `bins` centroids, and the boundaries of their cells; see EntropyOptions. */
  buildEntropyCodebook(sketch: Sketch, bins: number, options: EntropyOptions, signal?: AbortSignal): Promise<Cells>;
  /** One level a weight, and the protected weights' 16-bit words in element order. */
  assignLevels(pair: WeightBlock, partition: Partition, map: LevelMap, signal?: AbortSignal): Promise<AssignedLevels>;
  /**
   * Adds the tokens of the levels of `assignLevels` to `counts`, as `TokenCounts.add` does. A device keeps the levels
   * to itself.
   */
  countTokens(
    pair: WeightBlock,
    partition: Partition,
    request: LevelCoding & { readonly counts: TokenCounts },
    signal?: AbortSignal,
  ): Promise<LevelFindings>;
  /** `TokenTables.encode` of the levels of `assignLevels`, and their protected words. */
  encodeTokens(
    pair: WeightBlock,
    partition: Partition,
    request: LevelCoding & { readonly tables: TokenTables },
    signal?: AbortSignal,
  ): Promise<EncodedLevels>;
  /**
   * The elements in `dtype` that the levels of `assignLevels` stand for: the same bytes as `dequantize` of them.
   * `table` has 256 elements of `dtype`.
   */
  codebookElements(
    pair: WeightBlock,
    partition: Partition,
    request: CodebookElementsRequest,
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
  /** Rebuilds the elements in `dtype`, as bytes. `table` has 256 elements of `dtype`. */
  dequantize(levels: Uint8Array, request: DequantizeRequest, signal?: AbortSignal): Promise<Uint8Array>;
  /** Little-endian elements converted between floating dtypes. */
  convert(values: Uint8Array, from: QuantizableDtype, to: QuantizableDtype, signal?: AbortSignal): Promise<Uint8Array>;
}

/** kSketchWords counters: 32768 buckets by float key, then zeros, NaNs, infinities. Merge by adding. */
export type Sketch = BigUint64Array;

export const sketchBuckets = 32768;
export const sketchWords = sketchBuckets + 3;
export const sketchZerosIndex = sketchBuckets;
export const sketchNansIndex = sketchBuckets + 1;
export const sketchInfinitiesIndex = sketchBuckets + 2;

/** Weights and, if there are any, their gradient averages: the same number of elements. */
export interface WeightBlock {
  readonly weights: Uint8Array;
  readonly weightDtype: QuantizableDtype;
  readonly gradients?: Uint8Array;
  readonly gradientDtype?: QuantizableDtype;
  /** The name under which a device may hold both (`DeviceScope`): equal names bring equal bytes. */
  readonly heldAs?: string | undefined;
}

/** If a sum is not finite, one of its weights is not. */
export interface WeightMoments {
  readonly sum: number;
  readonly sumOfSquares: number;
  readonly magnitudeMax: number;
  /** Sum over the finite gradients; 0 without any. */
  readonly gradientSumOfSquares: number;
}

/** Thresholds as in native/include/firn/codebook_quant/partition.h; Infinity protects nothing, 0 prunes nothing. */
export interface Partition {
  readonly protectMagnitudeMin: number;
  readonly protectSensitivityMin: number;
  readonly pruneMetric: 'magnitude' | 'sensitivity';
  readonly pruneBelow: number;
}

export interface CodebookOptions {
  readonly clustering: 'kmeanspp' | 'optimal';
  readonly weighting: 'frequency' | 'frequency-magnitude';
  readonly sigma: number;
  readonly seed: bigint;
}

/** Cells of least total cost in squared error and bits (native/include/firn/codebook_quant/codebook.h). */
export interface EntropyOptions {
  readonly weighting: CodebookOptions['weighting'];
  readonly sigma: number;
  /**
   * The price of a bit a weight, in units of the error that optimal k-means leaves with as many bins: 0..1024. 0 gives
   * optimal k-means.
   */
  readonly bitPrice: number;
}

export interface Cells {
  /** Strictly increasing, at least one. */
  readonly centroids: Float32Array;
  /** One fewer: the smallest value of each cell but the first. */
  readonly boundaries: Float32Array;
}

/**
 * Levels 0..K-1 are the centroids; the pruned level, then the protected one, follow if they exist. At most 256 in all.
 */
export interface LevelMap {
  readonly centroids: Float32Array;
  /** Boundaries of the bins, one fewer than centroids; absent: halfway between them. */
  readonly boundaries?: Float32Array;
  readonly prunedLevel?: number;
  readonly protectedLevel?: number;
}

export interface AssignedLevels {
  readonly levels: Uint8Array;
  readonly protectedWords: Uint16Array;
}

/** How the levels of a block are coded. */
export interface LevelCoding {
  readonly map: LevelMap;
  /** Levels of the ancestor's block, and the name under which a device may hold them; absent for a base. */
  readonly previous?: { readonly levels: Uint8Array; readonly heldAs?: string | undefined } | undefined;
  /** The larger level count of both checkpoints, 1..256. */
  readonly modulus: number;
}

/** Numbers that counting the tokens of a block finds besides. */
export interface LevelFindings {
  readonly protectedCount: number;
  /** Levels that differ from the previous ones; 0 without these. */
  readonly moved: number;
}

export interface EncodedLevels {
  /** As `TokenTables.encode` gives them. */
  readonly tokens: Uint8Array;
  readonly protectedWords: Uint16Array;
}

export interface CodebookElementsRequest extends Pick<DequantizeRequest, 'dtype' | 'table' | 'levelCount'> {
  readonly map: LevelMap;
}

export interface DequantizeRequest {
  readonly dtype: QuantizableDtype;
  /** 256 elements of `dtype`, little-endian. */
  readonly table: Uint8Array;
  readonly levelCount: number;
  readonly protectedLevel?: number;
  readonly protectedWords: Uint16Array;
}
