import type { QuantizableDtype } from '../../checkpoint/dtype.ts';
import type { WeightBlock } from './codebook.ts';
import type { ContextCounts, ContextLayout, ContextTables } from './contexts.ts';
import type { HeldNames, LeftState } from './device.ts';
import type { ElementsOptions, GptqWeights, LatticeSegment, LatticeState } from './lattice.ts';

/** Blocks along a chain of packages. `core.ts` says what holds for all calls. */
export interface ResidualCalls {
  /** The state at the end of a block's chain of packages. Payloads may be hostile: `corrupt-package`. */
  residualState(chain: ResidualChain, signal?: AbortSignal): Promise<LatticeState>;
  /** The elements of that state in `dtype`, as bytes. They are written to `into`, if given; its length must match. */
  residualElements(chain: ResidualChain, dtype: QuantizableDtype, options?: ElementsOptions): Promise<Uint8Array>;
  /**
   * Quantizes a block at the end of a chain, adds its symbols to `counts`, and measures them. With `keep`, the result
   * includes the symbols; with `plain`, also the error sums with equal weights, which takes a pass if there are
   * gradients. Rejects with the errors of latticeQuantize and, for chains, of residualState; for a HeldBlock also with
   * DeviceLossError, as the next two calls do.
   */
  residualQuantize(
    block: CodedBlock,
    request: { readonly counts: ContextCounts; readonly keep: boolean; readonly plain?: boolean },
    signal?: AbortSignal,
  ): Promise<QuantizedBlock>;
  /** Quantizes a block like residualQuantize, and returns its payload. */
  residualEncode(block: CodedBlock, tables: ContextTables, signal?: AbortSignal): Promise<Uint8Array>;
  /** Quantizes a block like residualQuantize, and returns the rebuilt elements. */
  residualCodedElements(block: CodedBlock, dtype: QuantizableDtype, options?: ElementsOptions): Promise<Uint8Array>;
  /** Adds cached symbols to `counts`. Rejects with DeviceLossError if a device lost them, as the next two calls do. */
  countCachedSymbols(
    symbols: CachedSymbols,
    segments: ContextLayout['segments'],
    counts: ContextCounts,
    signal?: AbortSignal,
  ): Promise<void>;
  /** The payload of cached symbols. `left`: the state that they leave behind, if a device is to hold it. */
  encodeCachedSymbols(
    symbols: CachedSymbols,
    segments: ContextLayout['segments'],
    tables: ContextTables,
    options?: { readonly left?: LeftBehindSymbols | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<Uint8Array>;
  /** The elements rebuilt from cached symbols at the end of a chain; without the chain, behind a state that is held. */
  residualMovedElements(
    symbols: CachedSymbols,
    after: Pick<ResidualBlock, 'segments' | 'held'> & { readonly chain?: ResidualChain },
    dtype: QuantizableDtype,
    options?: ElementsOptions,
  ): Promise<Uint8Array>;
}

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

/** What latticeTargets takes of a segment, without rates: those of its block apply. */
export type SegmentRounding = Pick<GptqWeights, 'place' | 'firstElement' | 'strength' | 'deadZone'> & {
  /** Name of the factor, under which a device may hold it. */
  readonly factorName: string;
};

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
  /** Of a block of one segment: rounds it along the inputs of its matrix, instead of given targets. */
  readonly rounding?: SegmentRounding | undefined;
  /**
   * With gradients, one per segment: an element's weight in the errors is min((gradient * scale)^2, 2^40) in binary32,
   * 0 for NaN; 1 if the scale is 0.
   */
  readonly gradientScales?: Float32Array | undefined;
  /** Absent if no device is to hold anything of it. */
  readonly held?: HeldNames | undefined;
  /** Of a block to be stored: absent if no device is to hold what it leaves behind. */
  readonly left?: LeftState | undefined;
}

/**
 * A block whose weights, with gradients if there are scales, are those that a device holds under its names; without a
 * chain, its state too.
 */
export interface HeldBlock extends Omit<ResidualBlock, 'weights' | 'gradients' | 'targets' | 'chain' | 'held'> {
  readonly weights: undefined;
  readonly chain?: ResidualChain | undefined;
  readonly held: HeldNames;
}

export type CodedBlock = ResidualBlock | HeldBlock;

/** The state that cached symbols leave behind a state that a device holds, moved in these segments. */
export interface LeftBehindSymbols extends LeftState {
  /** Name of the state before. */
  readonly before: string;
  readonly segments: readonly LatticeSegment[];
}

/**
 * A block's symbols and their contexts, in memory of the core or of a device that garbage collection does not see:
 * release it.
 */
export interface CachedSymbols {
  /** Of the process; 0 for symbols on a device. */
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
