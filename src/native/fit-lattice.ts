import {
  latticeCountsIndex,
  latticeGainMax,
  latticeProductsIndex,
  latticeResidualsIndex,
  latticeSignedSumsIndex,
  latticeSquaresIndex,
  type LatticeSegment,
} from './core.ts';

/** The gain that changes nothing. */
const plainGain = 256;

/**
 * The offsets and the gain that a tensor's statistics ask for. Offsets make every class of moves rebuild to its mean; a class of fewer than
 * `countMin` moves keeps 0. The gain makes the rebuilt values' product with the weights what the weights' own is, so that a dead zone
 * takes nothing from their size. `statistics`: latticeStatisticsWords sums, over all blocks of the tensor. Exact, so the same everywhere.
 */
export function fitLattice(statistics: BigInt64Array, step: number, countMin = 1): Pick<LatticeSegment, 'offsets' | 'gain'> {
  let products = statistics[latticeProductsIndex]!;
  const offsets = [0, 1, 2].map((j) => {
    const count = statistics[latticeCountsIndex + j]!;
    if (count < BigInt(countMin) || count === 0n) return 0;
    const offset = clamped(quotient(-statistics[latticeResidualsIndex + j]!, count), 1 - step, step - 1);
    products -= BigInt(offset) * statistics[latticeSignedSumsIndex + j]!;
    return offset;
  }) as [number, number, number];
  const gain = products > 0n ? clamped(quotient(1024n * statistics[latticeSquaresIndex]!, products) - 768, 0, latticeGainMax) : plainGain;
  return { offsets, gain };
}

/** dividend / divisor to the nearest whole number, halves upwards; divisor above 0. */
function quotient(dividend: bigint, divisor: bigint): number {
  const twice = 2n * dividend + divisor;
  const truncated = twice / (2n * divisor);
  return Number(twice < 0n && truncated * 2n * divisor !== twice ? truncated - 1n : truncated);
}

function clamped(value: number, minimum: number, maximum: number): number {
  return Math.min(Math.max(value, minimum), maximum) + 0;
}
