/**
 * Weights stay below 2^this units, half of the lattice's range, so that a tensor has room to grow
 * (native/include/firn/residual_quant/lattice.h).
 */
export const weightUnitsLog2Max = 21;

/**
 * Whether the lattice can represent weights of at most this magnitude in units of 2^exponent: below 2^22 units. The
 * core refuses more.
 */
export function inLatticeRange(magnitudeMax: number, exponent: number): boolean {
  return magnitudeMax < 2 ** (exponent + weightUnitsLog2Max + 1);
}
