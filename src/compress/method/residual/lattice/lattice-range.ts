/**
 * Weights stay below 2^this units, half of what the lattice holds, so that a tensor has room to grow
 * (native/include/firn/lattice.h).
 */
export const weightUnitsLog2Max = 21;

/**
 * Whether the lattice holds weights of at most this magnitude in units of 2^exponent: below 2^22 of them, beyond which
 * the core refuses.
 */
export function inLatticeRange(magnitudeMax: number, exponent: number): boolean {
  return magnitudeMax < 2 ** (exponent + weightUnitsLog2Max + 1);
}
