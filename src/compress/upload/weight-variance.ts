import type { WeightMoments } from '../../native/core.ts';

type Sums = Pick<WeightMoments, 'sum' | 'sumOfSquares'> & { readonly elementCount: number };

/** A smaller share of the variance in the sum of squares is lost in the rounding of the sums. */
const shareMin = 1e-10;

/** Variance about the mean, at least 0. */
export function varianceOf({ elementCount, sum, sumOfSquares }: Sums): number {
  return Math.max(0, sumOfSquares / elementCount - (sum / elementCount) ** 2);
}

/**
 * Share of the variance in the mean square: 1 around a mean of 0, and 0 if the weights cannot be distinguished from a
 * constant.
 */
export function varianceShare(sums: Sums): number {
  const share = (varianceOf(sums) * sums.elementCount) / sums.sumOfSquares;
  return share > shareMin ? share : 0;
}
