import type { AssignedLevels } from './core.ts';

/** C++ objects held by JavaScript; only the addon makes them and it recognises its own. */
export interface EngineHandle { readonly kind: 'engine' }
export interface TokenCountsHandle { readonly kind: 'token-counts' }
export interface TokenTablesHandle { readonly kind: 'token-tables' }

/** A queued job's number with its result, or the status number of a call that was refused. The promise rejects with a status number. */
export type Started<T> = readonly [job: number, result: Promise<T>] | number;

type Optional<T> = T | undefined;
type PairArguments = [weights: Uint8Array, weightDtype: number, gradients: Optional<Uint8Array>, gradientDtype: number];
type PartitionArguments = [protectMagnitudeMin: number, protectSensitivityMin: number, pruneMetric: number, pruneBelow: number];
type LevelBlockArguments = [previous: Optional<Uint8Array>, current: Uint8Array, modulus: number];

/**
 * What firn_core.node exports, argument by argument (native/binding/calls.h). Enums travel as the numbers of native-numbers.ts, absent
 * levels as -1. A wrong type is a TypeError here; ranges are checked by native-core.ts first and by the addon again.
 */
export interface Addon {
  init(threads: number, queueMax: number): EngineHandle;
  cancel(engine: EngineHandle, job: number): void;
  stats(engine: EngineHandle): { threads: number; queued: number; running: number; simd: 'scalar' | 'avx2' | 'avx512' };

  sketchValues(engine: EngineHandle, values: Uint8Array, dtype: number, sketch: BigUint64Array): Started<void>;
  sketchSensitivity(engine: EngineHandle, ...rest: [...PairArguments, sketch: BigUint64Array]): Started<void>;
  sketchQuantized(engine: EngineHandle, ...rest: [...PairArguments, ...PartitionArguments, sketch: BigUint64Array]): Started<void>;
  sketchTopThreshold(sketch: BigUint64Array, fraction: number): number;
  sketchBottomThreshold(sketch: BigUint64Array, fraction: number): number;

  buildCodebook(
    engine: EngineHandle, sketch: BigUint64Array, bins: number, clustering: number, weighting: number, sigma: number, seed: bigint,
  ): Started<Float32Array>;
  assignLevels(
    engine: EngineHandle,
    ...rest: [...PairArguments, ...PartitionArguments, centroids: Float32Array, prunedLevel: number, protectedLevel: number]
  ): Started<AssignedLevels>;
  dequantize(
    engine: EngineHandle, levels: Uint8Array, dtype: number, table: Uint8Array, levelCount: number, protectedLevel: number,
    protectedWords: Uint16Array,
  ): Started<Uint8Array>;
  convert(engine: EngineHandle, values: Uint8Array, from: number, to: number): Started<Uint8Array>;

  createTokenCounts(): TokenCountsHandle;
  tokenCountsAdd(engine: EngineHandle, counts: TokenCountsHandle, ...block: LevelBlockArguments): Started<void>;
  /** Returns a status number; 0 is done. */
  tokenCountsMerge(into: TokenCountsHandle, from: TokenCountsHandle): number;
  tokenCountsBuild(counts: TokenCountsHandle): TokenTablesHandle;
  tokenCountsPayloadBits(counts: TokenCountsHandle): number;
  /** Returns the tables or a status number. */
  parseTokenTables(bytes: Uint8Array): TokenTablesHandle | number;
  tokenTablesSerialize(tables: TokenTablesHandle): Uint8Array;
  tokenTablesEncode(engine: EngineHandle, tables: TokenTablesHandle, ...block: LevelBlockArguments): Started<Uint8Array>;
  tokenTablesDecode(
    engine: EngineHandle, tables: TokenTablesHandle, payload: Uint8Array, previous: Optional<Uint8Array>, elementCount: number,
    modulus: number,
  ): Started<Uint8Array>;

  exactEncode(engine: EngineHandle, current: Uint8Array, previous: Optional<Uint8Array>, kind: number): Started<Uint8Array>;
  exactDecode(
    engine: EngineHandle, payload: Uint8Array, previous: Optional<Uint8Array>, kind: number, elementCount: number,
  ): Started<Uint8Array>;
  exactIsStandalone(payload: Uint8Array): boolean;

  crc32c(bytes: Uint8Array, seed: number): number;
  /** Returns the mapping or the errno of the system call that failed. */
  mapFile(engine: EngineHandle, path: string): ArrayBuffer | number;
}
