import type { HalfDtype, QuantizableDtype } from '../checkpoint/dtype.ts';
import type { StateEncoding } from '../checkpoint/options/state-encoding.ts';

/**
 * The typed interface of the C++ core (native/include/firn/*.h describes each call and cites the paper). Calls named
 * `...Sync` run on the caller's thread and are short. The others run on the core's own bounded pool and read their
 * inputs in place: until the promise settles, do not write to them, transfer their buffers, or pass memory that another
 * addon frees at exit. They reject with FirnError: `native-failure`, `corrupt-package` (bytes that no encoder writes),
 * `overloaded` (queue full), `cancelled` (signal); a value of the wrong type is a TypeError. A cancelled call settles
 * once none of its work runs any more; its additions to a sketch or to token counts may remain. Results are new
 * ordinary buffers.
 */
export interface NativeCore {
  /**
   * Adds `values` (elements of `dtype`) to `sketch` in place. Several calls of one core that add to the same sketch may
   * be pending: they run one after the other. Read the sketch (also with buildCodebook) after they have settled.
   */
  sketchValues(values: Uint8Array, dtype: QuantizableDtype, sketch: Sketch, signal?: AbortSignal): Promise<void>;
  sketchSensitivity(pair: WeightBlock, sketch: Sketch, signal?: AbortSignal): Promise<void>;
  sketchQuantized(pair: WeightBlock, partition: Partition, sketch: Sketch, signal?: AbortSignal): Promise<void>;
  /** Sums over consecutive parts of a block, of `counts` elements each; the same on every machine. */
  weightMoments(pair: WeightBlock, counts: Uint32Array, signal?: AbortSignal): Promise<WeightMoments[]>;
  sketchTopThresholdSync(sketch: Sketch, fraction: number): number;
  sketchBottomThresholdSync(sketch: Sketch, fraction: number): number;
  /** Strictly increasing centroids, at most `bins`. */
  buildCodebook(sketch: Sketch, bins: number, options: CodebookOptions, signal?: AbortSignal): Promise<Float32Array>;
  /** At most `bins` centroids, and the boundaries of their cells; see EntropyOptions. */
  buildEntropyCodebook(sketch: Sketch, bins: number, options: EntropyOptions, signal?: AbortSignal): Promise<Cells>;
  /** One level a weight, and the protected weights' 16-bit words in element order. */
  assignLevels(pair: WeightBlock, partition: Partition, map: LevelMap, signal?: AbortSignal): Promise<AssignedLevels>;
  /** Rebuilds the elements in `dtype`, as bytes. `table` has 256 elements of `dtype`. */
  dequantize(levels: Uint8Array, request: DequantizeRequest, signal?: AbortSignal): Promise<Uint8Array>;
  /** Little-endian elements converted between floating dtypes. */
  convert(values: Uint8Array, from: QuantizableDtype, to: QuantizableDtype, signal?: AbortSignal): Promise<Uint8Array>;

  createTokenCounts(): TokenCounts;
  /** Reads stored tables; throws `corrupt-package`. */
  parseTokenTables(bytes: Uint8Array): TokenTables;

  createContextCounts(): ContextCounts;
  /** Reads stored tables of `slots` slots; throws `corrupt-package`. */
  parseContextTables(bytes: Uint8Array, request: { readonly slots: number }): ContextTables;

  exactEncode(block: ExactBlock, signal?: AbortSignal): Promise<Uint8Array>;
  exactDecode(payload: Uint8Array, request: ExactDecodeRequest, signal?: AbortSignal): Promise<Uint8Array>;
  exactIsStandaloneSync(payload: Uint8Array): boolean;

  /**
   * Encodes moves away from the elements that an ancestor rebuilds, in buckets by sign and exponent. The 2^bits - 1
   * largest buckets are stored (native/include/firn/buckets.h).
   */
  bucketEncode(block: BucketBlock, signal?: AbortSignal): Promise<Uint8Array>;
  /** Rebuilds elements from the same `previous`. Rejects with `corrupt-package` for bytes no encoder writes. */
  bucketDecode(
    payload: Uint8Array,
    request: Pick<BucketBlock, 'previous' | 'dtype'>,
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
  /**
   * One payload for the payloads of a block in 2 to 4 consecutive checkpoints, oldest first: one symbol for all symbols
   * of an element, or the payloads as they are (firn::bucket_merge). Rejects with `corrupt-package` as `bucketDecode`.
   */
  bucketMerge(payloads: readonly Uint8Array[], elementCount: number, signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * Rebuilds the elements of one of those checkpoints; `previous` holds the elements before the first. Rejects as
   * `bucketDecode`.
   */
  mergedBucketDecode(
    payload: Uint8Array,
    request: Pick<BucketBlock, 'previous' | 'dtype'> & { readonly width: number; readonly position: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
  /**
   * The payload of a block of F16 or BF16 elements: a packed mask of those that differ from `previous`, followed by
   * these (firn::bitmask_encode). It is an exact standalone payload if that is shorter or most elements differ. Its
   * first byte is `bitmaskMode` if decoding needs `previous`.
   */
  bitmaskEncode(block: BitmaskBlock, signal?: AbortSignal): Promise<Uint8Array>;
  /** Decodes the elements. Payloads may be hostile: `corrupt-package`, `unsupported-format`. */
  bitmaskDecode(
    payload: Uint8Array,
    request: { readonly previous?: Uint8Array | undefined; readonly dtype: HalfDtype; readonly elementCount: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
  /** How many 16-bit elements of two blocks of equal length differ. */
  bitmaskChanged(current: Uint8Array, previous: Uint8Array, signal?: AbortSignal): Promise<number>;
  /**
   * The payload of exact F32 elements, coded against the 16-bit elements that were rounded from them. Lossless for any
   * elements; its first byte is `masterMode`.
   */
  masterEncode(values: Uint8Array, place: MasterPlace, signal?: AbortSignal): Promise<Uint8Array>;
  /** Decodes the elements. Payloads may be hostile: `corrupt-package`, `unsupported-format`. */
  masterDecode(payload: Uint8Array, place: MasterPlace, signal?: AbortSignal): Promise<Uint8Array>;
  /** The lossy payload of a block of optimizer state; exact if the levels cannot represent one of its elements. */
  stateEncode(values: Uint8Array, place: StatePlace, signal?: AbortSignal): Promise<Uint8Array>;
  /** Decodes the elements. Payloads may be hostile: `corrupt-package`. */
  stateDecode(payload: Uint8Array, place: StatePlace, signal?: AbortSignal): Promise<Uint8Array>;
  /** Whether a payload of second moments needs those of the previous checkpoint. */
  stateNeedsPreviousSync(payload: Uint8Array): boolean;

  /**
   * The number of steps that every weight moves from its previous value. Rejects with `native-failure` also if a weight
   * is not finite or beyond latticeWeightMax units: choose a larger exponent, or store the tensor another way.
   */
  latticeQuantize(block: LatticeWeights, signal?: AbortSignal): Promise<QuantizedSymbols>;
  /** One context per symbol, below latticeContexts, known before the symbol is; zeros without a previous state. */
  latticeContexts(block: LatticeBlock, signal?: AbortSignal): Promise<Uint8Array>;
  /** The state after the symbols. Symbols and escapes may be hostile: `corrupt-package`. */
  latticeApply(symbols: LatticeSymbols, block: LatticeBlock, signal?: AbortSignal): Promise<LatticeState>;
  /** The rebuilt elements in `dtype`, as bytes. */
  latticeValues(
    values: Int32Array,
    segments: readonly LatticeSegment[],
    dtype: QuantizableDtype,
    signal?: AbortSignal,
  ): Promise<Uint8Array>;

  /**
   * Factors a Gram matrix of a tensor's inputs, or the blocks on its diagonal, for {@link latticeTargets}: `size` x
   * `size` numbers a block. `damping`, in units of the mean of the diagonal and positive, is added to it: the more, the
   * weaker the feedback.
   */
  gramFactor(
    gram: Float32Array,
    request: { readonly size: number; readonly damping: number },
    signal?: AbortSignal,
  ): Promise<Float32Array>;
  /**
   * The targets to which the weights of one segment move, if the weights of later inputs compensate the rounding error
   * of each (GPTQ, Frantar et al. 2022, section 3). latticeQuantize of these targets, with a dead zone of at most a
   * step, gives the moves. Rejects with the errors of latticeQuantize.
   */
  latticeTargets(request: GptqWeights, signal?: AbortSignal): Promise<Float32Array>;

  /** The state at the end of a block's chain of packages. Payloads may be hostile: `corrupt-package`. */
  residualState(chain: ResidualChain, signal?: AbortSignal): Promise<LatticeState>;
  /** The elements of that state in `dtype`, as bytes. They are written to `into`, if given; its length must match. */
  residualElements(chain: ResidualChain, dtype: QuantizableDtype, options?: ElementsOptions): Promise<Uint8Array>;
  /**
   * Quantizes a block at the end of a chain, adds its symbols to `counts`, and measures them. With `keep`, the result
   * includes the symbols; with `plain`, also the error sums with equal weights, which takes a pass if there are
   * gradients. Rejects with the errors of latticeQuantize and, for chains, of residualState.
   */
  residualQuantize(
    block: ResidualBlock,
    request: { readonly counts: ContextCounts; readonly keep: boolean; readonly plain?: boolean },
    signal?: AbortSignal,
  ): Promise<QuantizedBlock>;
  /** Quantizes a block like residualQuantize, and returns its payload. */
  residualEncode(block: ResidualBlock, tables: ContextTables, signal?: AbortSignal): Promise<Uint8Array>;
  /** Quantizes a block like residualQuantize, and returns the rebuilt elements. */
  residualCodedElements(block: ResidualBlock, dtype: QuantizableDtype, options?: ElementsOptions): Promise<Uint8Array>;
  /** Adds cached symbols to `counts`. */
  countCachedSymbols(
    symbols: CachedSymbols,
    segments: ContextLayout['segments'],
    counts: ContextCounts,
    signal?: AbortSignal,
  ): Promise<void>;
  /** The payload of cached symbols. */
  encodeCachedSymbols(
    symbols: CachedSymbols,
    segments: ContextLayout['segments'],
    tables: ContextTables,
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
  /** The elements rebuilt from cached symbols at the end of a chain. */
  residualMovedElements(
    symbols: CachedSymbols,
    after: Pick<ResidualBlock, 'segments' | 'chain'>,
    dtype: QuantizableDtype,
    options?: ElementsOptions,
  ): Promise<Uint8Array>;

  crc32cSync(bytes: Uint8Array, seed?: number): number;
  /**
   * Read-only private mapping of a whole file; unmapped when collected. For evaluation children: writing to it, or
   * reading it after somebody truncated the file, ends the process. An empty file gives an empty buffer. Throws
   * `internal`.
   */
  mapFileSync(path: string): ArrayBuffer;
  /**
   * Informs the system that an open file will not be read soon, so that the memory that caches it is free for others,
   * except for bytes not yet on disk. It is a hint, which does not fail for any kind of file. Keep the descriptor open
   * meanwhile.
   */
  forgetFile(descriptor: number): Promise<void>;
  /**
   * The pool's present state, and totals since the start: ended calls, and the sum of the milliseconds that their
   * callers waited.
   */
  stats(): {
    readonly threads: number;
    readonly queued: number;
    readonly running: number;
    readonly simd: 'scalar' | 'avx2' | 'avx512';
    readonly endedCalls: number;
    readonly endedMs: number;
  };
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

export interface DequantizeRequest {
  readonly dtype: QuantizableDtype;
  /** 256 elements of `dtype`, little-endian. */
  readonly table: Uint8Array;
  readonly levelCount: number;
  readonly protectedLevel?: number;
  readonly protectedWords: Uint16Array;
}

/** Largest number of elements in one block call. */
export const blockElementsMax = 131072;

export interface LevelBlock {
  /** The same block of the ancestor, or absent for a base. */
  readonly previous?: Uint8Array;
  readonly current: Uint8Array;
  /** The larger level count of both checkpoints, 1..256. */
  readonly modulus: number;
}

export interface TokenCounts {
  /** Several may be pending; read or merge the counts after they have settled. */
  add(block: LevelBlock, signal?: AbortSignal): Promise<void>;
  merge(other: TokenCounts): void;
  build(): TokenTables;
  /** Exact payload bits of the blocks added, without tables and padding. */
  payloadBits(): number;
}

export interface TokenTables {
  serialize(): Uint8Array;
  encode(block: LevelBlock, signal?: AbortSignal): Promise<Uint8Array>;
  decode(
    payload: Uint8Array,
    request: { readonly previous?: Uint8Array; readonly elementCount: number; readonly modulus: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
}

/**
 * Ranges of the context coder (native/include/firn/context_coder.h): the number of symbols, and the symbol that
 * announces an escape value.
 */
export const contextSymbols = 32;
export const contextEscape = 31;
export const contextsMax = 64;
export const contextSlotsMax = 65536;

/**
 * Data of a block that both encoder and decoder have: each element's context, and the slot (tensor) of each segment.
 */
export interface ContextLayout {
  /** Below contextsMax, at most blockElementsMax of them. */
  readonly contexts: Uint8Array;
  /** Elements of each segment, which add up to the block, and its slot. */
  readonly segments: { readonly counts: Uint32Array; readonly slots: Uint32Array };
}

export interface ContextBlock extends ContextLayout {
  /** Below contextSymbols; 0 is the cheapest. */
  readonly symbols: Uint8Array;
  /** One value for each symbol contextEscape, in element order. */
  readonly escapes: Uint32Array;
}

export interface DecodedContexts {
  readonly symbols: Uint8Array;
  readonly escapes: Uint32Array;
}

export interface ContextCounts {
  /** Several may be pending; merge the counts after they have settled. */
  add(block: ContextBlock, signal?: AbortSignal): Promise<void>;
  merge(other: ContextCounts): void;
  /** Tables for the blocks added so far. `slots` exceeds every slot added; parseContextTables needs the same number. */
  build(request: { readonly slots: number }, signal?: AbortSignal): Promise<ContextTables>;
  /**
   * The additional cost of a move over staying put in each context of the lattice, as latticeRates numbers, from the
   * blocks added so far.
   */
  symbolRates(signal?: AbortSignal): Promise<Uint8Array>;
}

export interface ContextTables {
  serialize(): Uint8Array;
  /** Bits of the blocks counted before build() and of the tables, without lane states and padding (about 1 %). */
  totalBits(): number;
  /** Encodes any block with slots below `slots`, counted before or not. */
  encode(block: ContextBlock, signal?: AbortSignal): Promise<Uint8Array>;
  decode(payload: Uint8Array, layout: ContextLayout, signal?: AbortSignal): Promise<DecodedContexts>;
}

/** One block's elements, as many as its ancestor's, both in `dtype`. */
export interface BucketBlock {
  readonly current: Uint8Array;
  readonly previous: Uint8Array;
  readonly dtype: QuantizableDtype;
  /** 1..8. */
  readonly bits: number;
}

/**
 * First byte of `bitmaskEncode` payloads that need the previous block: a mode next to those of exact blocks
 * (firn::kBitmaskMode).
 */
export const bitmaskMode = 11;

/** At most blockElementsMax elements of 16 bits. */
export interface BitmaskBlock {
  readonly current: Uint8Array;
  /** As many elements as `current`. */
  readonly previous?: Uint8Array | undefined;
  readonly dtype: HalfDtype;
}

/** First byte of `masterEncode` payloads: a mode next to those of exact blocks (firn::kMasterMode). */
export const masterMode = 10;

/** The 16-bit elements that a block of exact F32 elements is coded against. */
export interface MasterPlace {
  /**
   * Parts of the block's tensors, in order: the number of elements, and the dtype of the elements rounded from them,
   * undefined if there are none.
   */
  readonly segments: readonly { readonly elementCount: number; readonly dtype: HalfDtype | undefined }[];
  /** The 16-bit elements of all segments that have some, one after another. */
  readonly reference: Uint8Array;
}

/** A part of a tensor of F32 elements in a block of optimizer state. */
export interface StateSegment {
  readonly elementCount: number;
  /** Length of a matrix's rows; 0 for a vector, which is one row. */
  readonly columns: number;
  /** Index of the first element in its row. */
  readonly column: number;
}

/** The places of a block's elements of optimizer state in their tensors, and the elements it is coded against. */
export interface StatePlace {
  readonly form: StateEncoding;
  readonly segments: readonly StateSegment[];
  /**
   * As many F32 elements: for second moments the rebuilt ones of the previous checkpoint, if there are any; for first
   * moments the rebuilt second moments; else absent.
   */
  readonly reference?: Uint8Array | undefined;
}

export type ElementKind = 'bytes' | 'f16' | 'bf16' | 'f32' | 'f64' | 'word16' | 'word32' | 'word64';

/**
 * Largest block of exactEncode and exactDecode, in uncompressed bytes; bounds the memory that a declared length makes
 * the core allocate.
 */
export const exactBytesMax = 16_777_216;

export interface ExactBlock {
  readonly current: Uint8Array;
  readonly previous?: Uint8Array;
  readonly kind: ElementKind;
}

export interface ExactDecodeRequest {
  readonly previous?: Uint8Array;
  readonly kind: ElementKind;
  readonly elementCount: number;
}

/** Ranges of native/include/firn/residual_quant/lattice.h. A package with parameters outside them is corrupt. */
export const latticeWeightMax = 2 ** 22 - 1;
export const latticeValueMax = 2 ** 23 - 1;
export const latticeExponentMin = -126;
export const latticeExponentMax = 104;
export const latticeStepMax = 65535;
export const latticeShiftMax = 15;
export const latticeGainMax = 1023;
export const latticeDeadZoneMax = 1024;
/** Contexts of latticeContexts are 0..latticeContexts - 1. */
export const latticeContexts = 54;
/**
 * Costs of moves: two numbers a context, for a move away from zero on the previous value's side and for the opposite
 * one. Each is 0..255; latticeRateUnit is the mean.
 */
export const latticeRates = 2 * latticeContexts;
export const latticeRateUnit = 64;
/** Symbols are 0..latticeSymbols - 1; an escape follows the last one. */
export const latticeSymbols = 32;
export const latticeEscape = latticeSymbols - 1;

/** A part of one tensor inside a block of at most blockElementsMax elements. */
export interface LatticeSegment {
  /** At least 1. */
  readonly elementCount: number;
  /** The unit of values is 2^exponent. */
  readonly exponent: number;
  /** Units of one step, 1..latticeStepMax. */
  readonly step: number;
  /** The previous state is in units of 2^(exponent + shift). */
  readonly shift: number;
  /** Units by which a move of 1, 2, and 3 or more steps is shortened; magnitudes below `step`. */
  readonly offsets: readonly [number, number, number];
  /** Rebuilt values are multiplied by (768 + gain) / 1024; 256 gives 1. */
  readonly gain: number;
}

/** One entry an element. */
export interface LatticeState {
  readonly values: Int32Array;
  readonly activity: Uint8Array;
}

export interface LatticeBlock {
  readonly segments: readonly LatticeSegment[];
  /** Absent for a base. */
  readonly previous?: LatticeState;
}

export interface LatticeWeights extends LatticeBlock {
  readonly weights: Uint8Array;
  readonly dtype: QuantizableDtype;
  /**
   * In 1/256 steps: a weight nearer than this to its previous value stays put. 0..latticeDeadZoneMax; 128 rounds to
   * nearest.
   */
  readonly deadZone: number;
}

/**
 * One symbol per element: 2q for a move of q steps away from zero on the previous value's side (zero counts as
 * positive), 2q - 1 for the opposite direction. From latticeEscape on, the symbol is latticeEscape, and the rest is an
 * escape.
 */
export interface LatticeSymbols {
  readonly symbols: Uint8Array;
  /** In element order, one for each latticeEscape among the symbols. */
  readonly escapes: Uint32Array;
}

export interface QuantizedSymbols extends LatticeSymbols {
  /**
   * latticeStatisticsWords sums a segment, in the order of LatticeStatistics of
   * native/include/firn/residual_quant/lattice.h. Merge by adding.
   */
  readonly statistics: BigInt64Array;
}

/**
 * Words of one segment's statistics, and the index at which each sum begins; triples have one sum each for moves of 1,
 * 2, and 3 or more steps.
 */
export const latticeStatisticsWords = 11;
/** Three counts of moved elements. */
export const latticeCountsIndex = 0;
/**
 * Three sums of |x - k'| - |q| * step, x the weight and k' its previous value in units: the best offset is minus the
 * mean.
 */
export const latticeResidualsIndex = 3;
/** The sum of x * x. */
export const latticeSquaresIndex = 6;
/** The sum of x * (k' + q * step); offsets reduce it by offsets[j] * signed sum j, added up. */
export const latticeProductsIndex = 7;
/** Three sums of x * sign(q). */
export const latticeSignedSumsIndex = 8;

/** The place of a segment in its matrix, and the matrix's factor from gramFactor. */
export interface GptqPlace {
  readonly factor: Float32Array;
  /** Side of a block of the factor, 1..gptqBlockMax; divides `inputs`. */
  readonly size: number;
  readonly inputs: number;
  readonly outputs: number;
  /**
   * Whether inputs are the last axis of the tensor, with all axes except the first counted as one; else they are the
   * first of two.
   */
  readonly inputsLast: boolean;
}

export interface GptqWeights {
  readonly weights: Uint8Array;
  readonly dtype: QuantizableDtype;
  readonly segment: LatticeSegment;
  /** Absent for a base. */
  readonly previous?: LatticeState;
  readonly place: GptqPlace;
  /** The segment's first element in its tensor. */
  readonly firstElement: number;
  /** Share of the errors that is handed on, 0..1. */
  readonly strength: number;
  /** As in {@link ResidualBlock}, but at most 256. */
  readonly deadZone: number;
  readonly symbolRates?: Uint8Array | undefined;
}

export const gptqBlockMax = 4096;

/** Most checkpoints with symbols in one payload. */
export const jointSymbolWidthMax = 4;

/** The meaning of joint symbols in a payload of several checkpoints (docs/format-blocks.md, section 15). */
export interface JointSymbols {
  /**
   * The first checkpoint's symbol for every joint symbol, then the second's, and so on; at least one joint symbol, each
   * symbol at most latticeEscape.
   */
  readonly symbols: Uint8Array;
  /** Checkpoints: 2..jointSymbolWidthMax. */
  readonly width: number;
}

/** One package's data on a block. */
export interface ResidualLink {
  readonly tables: ContextTables;
  readonly payload: Uint8Array;
  readonly segments: readonly LatticeSegment[];
  /** Slot of each segment in the tables. */
  readonly slots: Uint32Array;
  /**
   * For a payload of several checkpoints: the position of this link among them. Links for all earlier positions, with
   * the same payload, tables and slots, must come before it.
   */
  readonly part?: { readonly jointSymbols: JointSymbols; readonly position: number } | undefined;
}

/** A block along a chain of packages, each of which moves the state that the previous one left. */
export interface ResidualChain {
  /**
   * Oldest first; their segments have the same lengths. At least one to rebuild a block; a block to be coded may have
   * none before it.
   */
  readonly links: readonly ResidualLink[];
  /**
   * The start of the block: the state before the first link, or one value per segment, in the units of that link or of
   * the block to be coded.
   */
  readonly start: LatticeState | Int32Array;
}

/** A block to be coded at the end of a chain. */
export interface ResidualBlock extends WeightBlock {
  readonly chain: ResidualChain;
  readonly segments: readonly LatticeSegment[];
  /** Slot of each segment in the tables. */
  readonly slots: Uint32Array;
  /** As in LatticeWeights; applies if there are no rates. */
  readonly deadZone: number;
  /**
   * latticeRates numbers. With them, a weight with a previous state has a dead zone of its own (LatticeHysteresis in
   * native/include/firn/residual_quant/lattice.h).
   */
  readonly rates?: Uint8Array | undefined;
  /** Values quantized instead of the weights, as F32; errors are still those of the weights. */
  readonly targets?: Uint8Array | undefined;
  /**
   * With gradients, one per segment: an element's weight in the errors is min((gradient * scale)^2, 2^40) in binary32,
   * 0 for NaN; 1 if the scale is 0.
   */
  readonly gradientScales?: Float32Array | undefined;
}

/** A block's symbols and their contexts, in memory of the core that garbage collection does not see: release it. */
export interface CachedSymbols {
  readonly memoryBytes: number;
  /** Frees the memory once no job uses it any more; using the symbols afterwards is a TypeError. */
  release(): void;
}

/** Results of quantizing a block. */
export interface QuantizedBlock {
  /** See QuantizedSymbols. */
  readonly statistics: BigInt64Array;
  /**
   * latticeErrorWords sums per segment, as LatticeErrorSums of native/include/firn/residual_quant/lattice.h: add them
   * up in the order of blocks, and see latticeError.
   */
  readonly errors: Float64Array;
  /** The same sums with equal weights for all elements; absent unless the request asks for them. */
  readonly plainErrors?: Float64Array | undefined;
  readonly symbols: CachedSymbols | undefined;
}

/**
 * Words of one segment's error sums, and the index at which each sum begins; triples have one sum for each class of
 * LatticeStatistics.
 */
export const latticeErrorWords = 13;
/**
 * The sums of w x x, of w x r and of w r r: w is an element's weight in the error, x its value in units, r the residual
 * after its move without offsets.
 */
export const latticeErrorSquaresIndex = 0;
export const latticeErrorProductsIndex = 1;
export const latticeErrorResidualsIndex = 2;
/** The squared error of quantizing from zero to the nearest multiple of `step`, without gain. */
export const latticeErrorFreshIndex = 3;
/** Three sums of w, of w r sign(q), and of w x sign(q). */
export const latticeErrorWeightsIndex = 4;
export const latticeErrorSignedResidualsIndex = 7;
export const latticeErrorSignedProductsIndex = 10;

export interface ElementsOptions {
  /** Buffer for the elements; its length must match. */
  readonly into?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}
