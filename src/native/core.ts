import type { QuantizableDtype } from '../checkpoint/dtype.ts';

/**
 * The typed face of the C++ core (native/include/firn/*.h says what each call does and cites the paper).
 * Calls named `...Sync` run on the caller's thread and are short; the others run on the core's own bounded pool and read their inputs
 * in place: until the promise settles do not write to them, transfer their buffers, or pass memory that another addon frees at exit.
 * They reject with FirnError: `native-failure`, `corrupt-package` (bytes no encoder writes), `overloaded` (queue full), `cancelled`
 * (signal); a value of the wrong type is a TypeError. A cancelled call settles once nothing of it runs any more; what it added to a
 * sketch or to token counts may stay. Results are ordinary buffers of their own.
 */
export interface NativeCore {
  /**
   * Adds `values` (elements of `dtype`) to `sketch` in place. Calls of one core that add to the same sketch may be fired together: they
   * run one after the other. Read the sketch (also with buildCodebook) after they have settled.
   */
  sketchValues(values: Uint8Array, dtype: QuantizableDtype, sketch: Sketch, signal?: AbortSignal): Promise<void>;
  sketchSensitivity(pair: WeightBlock, sketch: Sketch, signal?: AbortSignal): Promise<void>;
  sketchQuantized(pair: WeightBlock, partition: Partition, sketch: Sketch, signal?: AbortSignal): Promise<void>;
  sketchTopThresholdSync(sketch: Sketch, fraction: number): number;
  sketchBottomThresholdSync(sketch: Sketch, fraction: number): number;
  /** Strictly increasing centroids, at most `bins`. */
  buildCodebook(sketch: Sketch, bins: number, options: CodebookOptions, signal?: AbortSignal): Promise<Float32Array>;
  /** One level a weight, and the protected weights' 16-bit words in element order. */
  assignLevels(pair: WeightBlock, partition: Partition, map: LevelMap, signal?: AbortSignal): Promise<AssignedLevels>;
  /** Rebuilds the elements in `dtype`, as bytes. `table` holds 256 elements of `dtype`. */
  dequantize(levels: Uint8Array, request: DequantizeRequest, signal?: AbortSignal): Promise<Uint8Array>;
  /** Little-endian elements converted between floating dtypes. */
  convert(values: Uint8Array, from: QuantizableDtype, to: QuantizableDtype, signal?: AbortSignal): Promise<Uint8Array>;

  createTokenCounts(): TokenCounts;
  /** Reads stored tables; throws `corrupt-package`. */
  parseTokenTables(bytes: Uint8Array): TokenTables;

  exactEncode(block: ExactBlock, signal?: AbortSignal): Promise<Uint8Array>;
  exactDecode(payload: Uint8Array, request: ExactDecodeRequest, signal?: AbortSignal): Promise<Uint8Array>;
  exactIsStandaloneSync(payload: Uint8Array): boolean;

  crc32cSync(bytes: Uint8Array, seed?: number): number;
  /**
   * Read-only private mapping of a whole file; unmapped when collected. For evaluation children: writing to it, or reading it
   * after somebody cut the file short, ends the process. An empty file gives an empty buffer. Throws `internal`.
   */
  mapFileSync(path: string): ArrayBuffer;
  stats(): { readonly threads: number; readonly queued: number; readonly running: number; readonly simd: 'scalar' | 'avx2' | 'avx512' };
}

/** kSketchWords counters: 32768 buckets by float key, then zeros, NaNs, infinities. Merge by adding. */
export type Sketch = BigUint64Array;
export const sketchBuckets = 32768;
export const sketchWords = sketchBuckets + 3;
export const sketchZerosIndex = sketchBuckets;
export const sketchNansIndex = sketchBuckets + 1;
export const sketchInfinitiesIndex = sketchBuckets + 2;

/** Weights and, where there are any, their gradient averages: the same number of elements. */
export interface WeightBlock {
  readonly weights: Uint8Array;
  readonly weightDtype: QuantizableDtype;
  readonly gradients?: Uint8Array;
  readonly gradientDtype?: QuantizableDtype;
}

/** Thresholds as in native/include/firn/partition.h; Infinity protects nothing, 0 prunes nothing. */
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

/** Levels 0..K-1 are the centroids; the pruned level, then the protected one, follow where present. At most 256 in all. */
export interface LevelMap {
  readonly centroids: Float32Array;
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
  /** May be fired together; read or merge the counts after they have settled. */
  add(block: LevelBlock, signal?: AbortSignal): Promise<void>;
  merge(other: TokenCounts): void;
  build(): TokenTables;
  /** Exact payload bits of the blocks added, tables and padding left out. */
  payloadBits(): number;
}

export interface TokenTables {
  serialize(): Uint8Array;
  encode(block: LevelBlock, signal?: AbortSignal): Promise<Uint8Array>;
  decode(payload: Uint8Array, request: { readonly previous?: Uint8Array; readonly elementCount: number; readonly modulus: number }, signal?: AbortSignal): Promise<Uint8Array>;
}

export type ElementKind = 'bytes' | 'f16' | 'bf16' | 'f32' | 'f64' | 'word16' | 'word32' | 'word64';

/** Largest block of exactEncode and exactDecode, in uncompressed bytes; bounds what a declared length can make the core allocate. */
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
