import type { QuantizableDtype } from '../../checkpoint/dtype.ts';
import type { HeldNames } from './device.ts';

/** Quantization of residuals to a lattice, and its targets (GPTQ). `core.ts` says what holds for all calls. */
export interface LatticeCalls {
  /**
   * The number of steps that every weight moves from its previous value. Rejects with `native-failure` also if a weight
   * is not finite or beyond latticeWeightMax units: choose a larger exponent, or store the tensor another way.
   */
  latticeQuantize(block: LatticeWeights, signal?: AbortSignal): Promise<QuantizedSymbols>;
  /** One context per symbol, below latticeContexts, known before the symbol is; zeros without a previous state. */
  latticeContexts(block: LatticeBlock, signal?: AbortSignal): Promise<Uint8Array>;
  /** The state after the symbols. Symbols and escapes may be hostile: `corrupt-package`. */
  latticeApply(symbols: LatticeSymbols, block: LatticeBlock, signal?: AbortSignal): Promise<LatticeState>;
  /**
   * Values for elements without a state, as a residual block starts from them: in units, to nearest, ties to even, and
   * at most latticeValueMax either way; 0 for NaN.
   */
  latticePlace(
    elements: Uint8Array,
    segments: readonly LatticeSegment[],
    dtype: QuantizableDtype,
    signal?: AbortSignal,
  ): Promise<Int32Array>;
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
   * less of an error is handed on.
   */
  gramFactor(
    gram: Float32Array,
    request: { readonly size: number; readonly damping: number },
    signal?: AbortSignal,
  ): Promise<Float32Array>;
  /**
   * The targets to which the weights of one segment move, if the weights of later inputs compensate the rounding error
   * of each (GPTQ, Frantar et al. 2022, section 3). latticeQuantize of these targets, with a dead zone of at most a
   * step, gives the moves. They are written to `into`, if given; its length must match, and it must begin where an F32
   * may. Rejects with the errors of latticeQuantize.
   */
  latticeTargets(request: GptqWeights, options?: ElementsOptions): Promise<Float32Array>;
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

/** What is known of the upload that the previous state was made of. */
export interface GptqMovement {
  /** The segment's weights in it, of the dtype of those that are rounded. */
  readonly before: Uint8Array;
  /**
   * In the direction in which a weight moved since then, its dead zone is smaller by `pull` times the movement, down to
   * {@link gptqPulledZoneMin}. 0..gptqPullMax.
   */
  readonly pull: number;
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
  readonly movement?: GptqMovement | undefined;
  /** What a device may hold of the segment, and of its matrix. */
  readonly held?: (HeldNames & { readonly factor: string }) | undefined;
}

export const gptqBlockMax = 4096;

/** The smallest dead zone of a weight that moved, in 1/256 steps. */
export const gptqPulledZoneMin = 77;

export const gptqPullMax = 2 ** 20;

export interface ElementsOptions {
  /** Buffer for the elements; its length must match. */
  readonly into?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}
