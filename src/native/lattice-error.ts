import {
  latticeErrorFreshIndex,
  latticeErrorProductsIndex,
  latticeErrorResidualsIndex,
  latticeErrorSignedProductsIndex,
  latticeErrorSignedResidualsIndex,
  latticeErrorSquaresIndex,
  latticeErrorWeightsIndex,
  type LatticeSegment,
} from './core.ts';

/** Squared errors of one tensor times the weights of its elements, in units squared. */
export interface LatticeError {
  readonly error: number;
  /** The error of quantizing from zero to the nearest multiple of the step, without gain. */
  readonly fresh: number;
}

/**
 * The error of a tensor's moves with these offsets and this gain. An element's residual r becomes u = r + v o with the
 * offset o of its class and the sign v of its move, its value x - u, and its error u - g (x - u) with g the gain less
 * one. `sums`: the latticeErrorWords sums over all its blocks.
 */
export function latticeError(
  sums: Float64Array,
  { offsets, gain }: Pick<LatticeSegment, 'offsets' | 'gain'>,
): LatticeError {
  let squares = sums[latticeErrorResidualsIndex]!;
  let products = sums[latticeErrorProductsIndex]!;
  offsets.forEach((offset, j) => {
    squares +=
      2 * offset * sums[latticeErrorSignedResidualsIndex + j]! + offset * offset * sums[latticeErrorWeightsIndex + j]!;
    products += offset * sums[latticeErrorSignedProductsIndex + j]!;
  });
  const g = (768 + gain) / 1024 - 1;
  const values = sums[latticeErrorSquaresIndex]! - 2 * products + squares;
  return { error: squares - 2 * g * (products - squares) + g * g * values, fresh: sums[latticeErrorFreshIndex]! };
}
