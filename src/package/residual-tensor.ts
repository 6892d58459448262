/** Parameters that relate one residual tensor's states, symbols and values (docs/format.md, "Residual tensors"). */
export interface ResidualTensor {
  /** States are in units of 2^exponent. */
  readonly exponent: number;
  /** Starting value of every state in a block without a previous one, in units: the mean of a vector. */
  readonly origin: number;
  /**
   * States of the ancestor are multiplied by 2^shift: its exponent is this one's plus shift. 0 if the ancestor has no
   * such tensor.
   */
  readonly shift: number;
  /** Quantization step before the package's scale, in 1/32 octaves of a unit. */
  readonly stepCode: number;
  /** Sixteenths of a step, -8..7, that a residual of one step, and of more, is reconstructed nearer to zero. */
  readonly offsets: readonly [number, number];
  /** Values are multiplied by (768 + gain) / 1024. */
  readonly gain: number;
}

/**
 * Added to the step codes of a package's tensors: matrices have at least two axes longer than one, all others are
 * vectors. In 1/32 octaves.
 */
export interface StepScales {
  readonly vectors: number;
  readonly matrices: number;
}

/** Steps of the step scale in an octave. */
export const stepsPerOctave = 32;
/** A step is below 2^16 units. */
export const stepCodeMax = 16 * stepsPerOctave - 1;
export const stepScaleMax = 4096;
export const shiftMax = 15;
export const gainMax = 1023;
/** An origin's magnitude is below this, in units. */
export const originMax = 2 ** 22 - 1;
/** The gain code of a factor of one. */
export const unitGain = 256;
/** Exponents of units, within the bounds of native/include/firn/residual_quant/lattice.h. */
export const exponentMin = -126;
export const exponentMax = 104;

/** round(2^(20 + i / 32)): steps must be the same integers everywhere. */
const octave = [
  1048576, 1071537, 1095000, 1118978, 1143480, 1168519, 1194106, 1220254, 1246974, 1274279, 1302182, 1330696, 1359835,
  1389611, 1420040, 1451135, 1482910, 1515382, 1548564, 1582474, 1617125, 1652536, 1688722, 1725700, 1763488, 1802103,
  1841564, 1881889, 1923097, 1965207, 2008240, 2052214,
];

/** The step of a tensor in units, 1..65535. */
export function stepUnits({ stepCode }: Pick<ResidualTensor, 'stepCode'>, scale: number): number {
  const code = Math.min(Math.max(stepCode + scale, 0), stepCodeMax);
  return Math.floor((octave[code % stepsPerOctave]! * 2 ** Math.floor(code / stepsPerOctave) + 2 ** 19) / 2 ** 20);
}

/** Units of `offset` sixteenths of a step, towards zero: always less than a step. */
export function offsetUnits(offset: number, step: number): number {
  return Math.trunc((offset * step) / 16);
}

/** The scale of a package that applies to a tensor's step. */
export function scaleOf(scales: StepScales, shape: readonly number[]): number {
  return shape.filter((length) => length > 1).length > 1 ? scales.matrices : scales.vectors;
}
