import type {
  AssignedLevels,
  Cells,
  DecodedContexts,
  DeviceFigures,
  DeviceWork,
  EncodedLevels,
  LevelFindings,
  QuantizedSymbols,
} from './core.ts';

/** C++ objects owned by JavaScript; only the addon makes them, and it recognises its own. */
export interface EngineHandle {
  readonly kind: 'engine';
}
export interface TokenCountsHandle {
  readonly kind: 'token-counts';
}
export interface TokenTablesHandle {
  readonly kind: 'token-tables';
}
export interface ContextCountsHandle {
  readonly kind: 'context-counts';
}
export interface ContextTablesHandle {
  readonly kind: 'context-tables';
}
export interface CachedSymbolsHandle {
  readonly kind: 'cached-symbols';
}

/**
 * A queued job's number with its result, or the status number of a refused call. The promise rejects with a status
 * number.
 */
export type Started<T> = readonly [job: number, result: Promise<T>] | number;

type Optional<T> = T | undefined;
type PairArguments = [weights: Uint8Array, weightDtype: number, gradients: Optional<Uint8Array>, gradientDtype: number];
/** The name is empty if no device may hold the pair. */
type NamedPairArguments = [...PairArguments, weightsName: string];
type PartitionArguments = [
  protectMagnitudeMin: number,
  protectSensitivityMin: number,
  pruneMetric: number,
  pruneBelow: number,
];
type CodebookBlockArguments = [
  ...NamedPairArguments,
  ...PartitionArguments,
  centroids: Float32Array,
  prunedLevel: number,
  protectedLevel: number,
  boundaries: Optional<Float32Array>,
];
type StateArguments = [values: Optional<Int32Array>, activity: Optional<Uint8Array>];
type ChainArguments = [
  ...StateArguments,
  origins: Optional<Int32Array>,
  ...links: Optional<ContextTablesHandle | Uint8Array | Int32Array | Uint32Array | number>[],
];
/** Without a factor nothing is rounded, and the other numbers are 1 or 0. */
type RoundingArguments = [
  factor: Optional<Float32Array>,
  size: number,
  inputs: number,
  outputs: number,
  inputsLast: number,
  first: number,
  strength: number,
  deadZone: number,
  factorName: string,
];
/** Without weights the block is what a device holds, and its chain may be left out. */
type CodedBlockArguments = [
  weights: Optional<Uint8Array>,
  weightDtype: number,
  gradients: Optional<Uint8Array>,
  gradientDtype: number,
  gradientScales: Optional<Float32Array>,
  targets: Optional<Uint8Array>,
  ...rounding: RoundingArguments,
  deadZone: number,
  rates: Optional<Uint8Array>,
  weightsName: string,
  stateName: string,
  leftName: string,
  starts: number,
  segments: Int32Array,
  slots: Uint32Array,
  ...ChainArguments,
];
type GptqPlaceArguments = [
  size: number,
  inputs: number,
  outputs: number,
  inputsLast: number,
  first: number,
  strength: number,
  deadZone: number,
  before: Optional<Uint8Array>,
  pull: number,
  weightsName: string,
  stateName: string,
  factorName: string,
];
type CachedBlockArguments = [symbols: CachedSymbolsHandle, counts: Uint32Array, slots: Uint32Array];
type LeftStateArguments = [name: string, stateName: string, starts: number, segments: Int32Array];
/** Three numbers a segment. */
type MasterPlaceArguments = [reference: Uint8Array, segments: Uint32Array];
type StatePlaceArguments = [encoding: number, segments: Uint32Array, reference: Optional<Uint8Array>];
type CodedLevels = [...CodebookBlockArguments, previous: Optional<Uint8Array>, previousName: string, modulus: number];
type LevelBlockArguments = [previous: Optional<Uint8Array>, current: Uint8Array, modulus: number];
type ContextLayoutArguments = [contexts: Uint8Array, counts: Uint32Array, slots: Uint32Array];
type ContextBlockArguments = [...ContextLayoutArguments, symbols: Uint8Array, escapes: Uint32Array];

/**
 * The exports of firn_core.node, argument by argument (native/binding/calls/calls.h). Enums are passed as the numbers
 * of native-numbers.ts, absent levels as -1. A wrong type is a TypeError here; ranges are checked by native-core.ts
 * first and by the addon again.
 */
export interface Addon {
  init(threads: number, queueMax: number): EngineHandle;
  cancel(engine: EngineHandle, job: number): void;
  /** Returns why there is no device, if so. */
  openDevice(
    engine: EngineHandle,
    kind: number,
    index: number,
    budgetBytes: number,
    library: string,
    failsAt: number,
    memoryFailsAt: number,
  ): string | undefined;
  deviceFigures(engine: EngineHandle): DeviceFigures | undefined;
  /** Lets go of what the device holds under names that begin so. */
  deviceForget(engine: EngineHandle, prefix: string): void;
  /** Gives what it holds under names that begin with `from` names that begin with `to`. */
  deviceRename(engine: EngineHandle, from: string, to: string): void;
  /** An engine with the same pool and device, and an account of its own; undefined without a device. */
  accountEngine(engine: EngineHandle): EngineHandle | undefined;
  /** An engine with the same pool and no device. */
  engineWithoutDevice(engine: EngineHandle): EngineHandle;
  deviceAccount(engine: EngineHandle): DeviceWork | undefined;
  stats(engine: EngineHandle): { threads: number; queued: number; running: number; simd: 'scalar' | 'avx2' | 'avx512' };

  sketchValues(
    engine: EngineHandle,
    weights: Uint8Array,
    dtype: number,
    weightsName: string,
    sketch: BigUint64Array,
  ): Started<void>;
  sketchSensitivity(engine: EngineHandle, ...rest: [...NamedPairArguments, sketch: BigUint64Array]): Started<void>;
  sketchQuantized(
    engine: EngineHandle,
    ...rest: [...NamedPairArguments, ...PartitionArguments, sketch: BigUint64Array]
  ): Started<void>;
  sketchTopThreshold(sketch: BigUint64Array, fraction: number): number;
  sketchBottomThreshold(sketch: BigUint64Array, fraction: number): number;

  buildCodebook(
    engine: EngineHandle,
    sketch: BigUint64Array,
    bins: number,
    clustering: number,
    weighting: number,
    sigma: number,
    seed: bigint,
  ): Started<Float32Array>;
  buildEntropyCodebook(
    engine: EngineHandle,
    sketch: BigUint64Array,
    bins: number,
    weighting: number,
    sigma: number,
    bitPrice: number,
  ): Started<Cells>;
  assignLevels(engine: EngineHandle, ...block: CodebookBlockArguments): Started<AssignedLevels>;
  codebookElements(
    engine: EngineHandle,
    ...rest: [...CodebookBlockArguments, dtype: number, table: Uint8Array, levelCount: number]
  ): Started<Uint8Array>;
  /** Adds the tokens of a block's levels to counts. */
  countTokens(engine: EngineHandle, ...rest: [...CodedLevels, counts: TokenCountsHandle]): Started<LevelFindings>;
  encodeTokens(engine: EngineHandle, ...rest: [...CodedLevels, tables: TokenTablesHandle]): Started<EncodedLevels>;
  dequantize(
    engine: EngineHandle,
    levels: Uint8Array,
    dtype: number,
    table: Uint8Array,
    levelCount: number,
    protectedLevel: number,
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
  tokenTablesEncode(
    engine: EngineHandle,
    tables: TokenTablesHandle,
    ...block: LevelBlockArguments
  ): Started<Uint8Array>;
  tokenTablesDecode(
    engine: EngineHandle,
    tables: TokenTablesHandle,
    payload: Uint8Array,
    previous: Optional<Uint8Array>,
    elementCount: number,
    modulus: number,
  ): Started<Uint8Array>;

  createContextCounts(): ContextCountsHandle;
  contextCountsAdd(engine: EngineHandle, counts: ContextCountsHandle, ...block: ContextBlockArguments): Started<void>;
  /** Returns a status number; 0 is done. */
  contextCountsMerge(into: ContextCountsHandle, from: ContextCountsHandle): number;
  contextCountsBuild(engine: EngineHandle, counts: ContextCountsHandle, slots: number): Started<ContextTablesHandle>;
  contextCountsSymbolRates(engine: EngineHandle, counts: ContextCountsHandle): Started<Uint8Array>;
  /** Returns the tables or a status number. */
  parseContextTables(bytes: Uint8Array, slots: number): ContextTablesHandle | number;
  contextTablesSerialize(tables: ContextTablesHandle): Uint8Array;
  contextTablesTotalBits(tables: ContextTablesHandle): number;
  contextTablesEncode(
    engine: EngineHandle,
    tables: ContextTablesHandle,
    ...block: ContextBlockArguments
  ): Started<Uint8Array>;
  contextTablesDecode(
    engine: EngineHandle,
    tables: ContextTablesHandle,
    payload: Uint8Array,
    ...layout: ContextLayoutArguments
  ): Started<DecodedContexts>;

  exactEncode(
    engine: EngineHandle,
    current: Uint8Array,
    previous: Optional<Uint8Array>,
    kind: number,
  ): Started<Uint8Array>;
  exactDecode(
    engine: EngineHandle,
    payload: Uint8Array,
    previous: Optional<Uint8Array>,
    kind: number,
    elementCount: number,
    into: Optional<Uint8Array>,
  ): Started<Optional<Uint8Array>>;
  exactIsStandalone(payload: Uint8Array): boolean;

  bucketEncode(
    engine: EngineHandle,
    current: Uint8Array,
    previous: Uint8Array,
    dtype: number,
    bits: number,
  ): Started<Uint8Array>;
  bucketDecode(engine: EngineHandle, payload: Uint8Array, previous: Uint8Array, dtype: number): Started<Uint8Array>;
  bucketMerge(
    engine: EngineHandle,
    payloads: Uint8Array,
    sizes: Uint32Array,
    elementCount: number,
  ): Started<Uint8Array>;
  mergedBucketDecode(
    engine: EngineHandle,
    payload: Uint8Array,
    previous: Uint8Array,
    dtype: number,
    width: number,
    position: number,
  ): Started<Uint8Array>;
  bitmaskEncode(
    engine: EngineHandle,
    current: Uint8Array,
    previous: Optional<Uint8Array>,
    kind: number,
  ): Started<Uint8Array>;
  bitmaskDecode(
    engine: EngineHandle,
    payload: Uint8Array,
    previous: Optional<Uint8Array>,
    kind: number,
    elementCount: number,
  ): Started<Uint8Array>;
  bitmaskChanged(engine: EngineHandle, current: Uint8Array, previous: Uint8Array): Started<number>;
  masterEncode(engine: EngineHandle, values: Uint8Array, ...place: MasterPlaceArguments): Started<Uint8Array>;
  masterDecode(engine: EngineHandle, payload: Uint8Array, ...place: MasterPlaceArguments): Started<Uint8Array>;
  stateEncode(engine: EngineHandle, values: Uint8Array, ...place: StatePlaceArguments): Started<Uint8Array>;
  stateDecode(engine: EngineHandle, payload: Uint8Array, ...place: StatePlaceArguments): Started<Uint8Array>;
  stateNeedsPrevious(payload: Uint8Array): boolean;

  latticeQuantize(
    engine: EngineHandle,
    weights: Uint8Array,
    dtype: number,
    segments: Int32Array,
    ...rest: [...StateArguments, deadZone: number]
  ): Started<QuantizedSymbols>;
  latticeContexts(engine: EngineHandle, segments: Int32Array, ...previous: StateArguments): Started<Uint8Array>;
  /** The values, then the activity. */
  latticeApply(
    engine: EngineHandle,
    symbols: Uint8Array,
    escapes: Uint32Array,
    segments: Int32Array,
    ...previous: StateArguments
  ): Started<Uint8Array>;
  /** Four bytes an element. */
  latticePlace(engine: EngineHandle, elements: Uint8Array, dtype: number, segments: Int32Array): Started<Uint8Array>;
  latticeValues(engine: EngineHandle, values: Int32Array, segments: Int32Array, dtype: number): Started<Uint8Array>;
  /** Four numbers a part. */
  weightMoments(
    engine: EngineHandle,
    ...rest: [...PairArguments, counts: Uint32Array, weightsName: string]
  ): Started<Float64Array>;
  /** Binary32 numbers. */
  gramFactor(engine: EngineHandle, gram: Float32Array, size: number, damping: number): Started<Uint8Array>;
  latticeTargets(
    engine: EngineHandle,
    weights: Uint8Array,
    dtype: number,
    segment: Int32Array,
    ...rest: [
      ...previous: StateArguments,
      rates: Optional<Uint8Array>,
      factor: Float32Array,
      ...place: GptqPlaceArguments,
      into: Optional<Uint8Array>,
    ]
  ): Started<Optional<Uint8Array>>;

  /** Seven arguments a link (binding/residual_arguments.h). The values, then the activity. */
  residualState(engine: EngineHandle, ...chain: ChainArguments): Started<Uint8Array>;
  /** Undefined when the elements went to `into`. */
  residualElements(
    engine: EngineHandle,
    dtype: number,
    into: Optional<Uint8Array>,
    ...chain: ChainArguments
  ): Started<Optional<Uint8Array>>;

  residualQuantize(
    engine: EngineHandle,
    counts: ContextCountsHandle,
    keep: number,
    plain: number,
    ...block: CodedBlockArguments
  ): Started<{
    symbols: Optional<CachedSymbolsHandle>;
    /** Memory of the symbols; 0 if they are on the device. */
    symbolBytes: number;
    statistics: BigInt64Array;
    errors: Float64Array;
    plainErrors: Optional<Float64Array>;
  }>;
  residualEncode(engine: EngineHandle, tables: ContextTablesHandle, ...block: CodedBlockArguments): Started<Uint8Array>;
  residualCodedElements(
    engine: EngineHandle,
    dtype: number,
    into: Optional<Uint8Array>,
    ...block: CodedBlockArguments
  ): Started<Optional<Uint8Array>>;
  residualMovedElements(
    engine: EngineHandle,
    dtype: number,
    into: Optional<Uint8Array>,
    symbols: CachedSymbolsHandle,
    stateName: string,
    segments: Int32Array,
    ...chain: ChainArguments
  ): Started<Optional<Uint8Array>>;
  countCachedSymbols(engine: EngineHandle, counts: ContextCountsHandle, ...block: CachedBlockArguments): Started<void>;
  encodeCachedSymbols(
    engine: EngineHandle,
    tables: ContextTablesHandle,
    ...block: [...CachedBlockArguments, ...LeftStateArguments]
  ): Started<Uint8Array>;
  /** The handle is invalid afterwards. */
  releaseCachedSymbols(symbols: CachedSymbolsHandle): void;

  crc32c(bytes: Uint8Array, seed: number): number;
  /** Returns the mapping or the errno of the system call that failed. */
  mapFile(engine: EngineHandle, path: string): ArrayBuffer | number;
  forgetFile(engine: EngineHandle, descriptor: number): Started<undefined>;
}
