import {
  latticeCountsIndex,
  latticeProductsIndex,
  latticeResidualsIndex,
  latticeSignedSumsIndex,
  latticeSquaresIndex,
} from '../../../native/core.ts';
import { gainMax, offsetUnits, type ResidualTensor } from '../../../package/residual-tensor.ts';

/** A tensor's reconstruction offsets are measured only on at least this many moved weights. */
const movedMin = 9;
/**
 * A gain this near to the ancestor's, in 1/1024, is replaced by the ancestor's: a new one would cost more than it
 * saves.
 */
const gainTolerance = 3;
/** Range of plausible gains: beyond it, a tensor has changed more than its step can follow. */
const gainCodes = { min: 51, max: 512 };

export interface TensorToFit {
  /** Quantization step, in units. */
  readonly step: number;
  /** The ancestor's gain, or that of one of exact weights that the tensor starts from. */
  readonly known: number | undefined;
  /** Vectors retain their gain. */
  readonly isMatrix: boolean;
}

/**
 * The record with the offsets and the gain that fit the weights. `total`: the statistics of latticeQuantize over all
 * blocks of the tensor.
 */
export function fitResidualTensor(
  record: ResidualTensor,
  total: BigInt64Array,
  { step, known, isMatrix }: TensorToFit,
): ResidualTensor {
  const offset = (first: number, last: number): number => {
    const count = Number(
      total.subarray(latticeCountsIndex + first, latticeCountsIndex + last).reduce((a, b) => a + b, 0n),
    );
    const beyond = Number(
      total.subarray(latticeResidualsIndex + first, latticeResidualsIndex + last).reduce((a, b) => a + b, 0n),
    );
    return count < movedMin ? 0 : Math.max(-8, Math.min(7, Math.round((-16 * beyond) / (count * step))));
  };
  const offsets = [offset(0, 1), offset(1, 3)] as const;
  if (!isMatrix) return { ...record, offsets };
  const units = offsets.map((code) => BigInt(offsetUnits(code, step)));
  const signed = (index: number): bigint => total[latticeSignedSumsIndex + index]!;
  const products = total[latticeProductsIndex]! - units[0]! * signed(0) - units[1]! * (signed(1) + signed(2));
  const gain = products <= 0n ? record.gain : Number((1024n * total[latticeSquaresIndex]!) / products) - 768;
  const kept = known !== undefined && Math.abs(gain - known) <= gainTolerance ? known : gain;
  return {
    ...record,
    offsets,
    gain: Math.max(0, Math.min(gainMax, Math.max(gainCodes.min, Math.min(gainCodes.max, kept)))),
  };
}
