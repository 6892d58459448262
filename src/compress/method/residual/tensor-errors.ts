import { latticeErrorSquaresIndex, type LatticeSegment } from '../../../native/core.ts';
import { latticeError } from '../../../native/lattice-error.ts';
import { latticeSegment, type ResidualFile } from '../../../package/blocks/residual-block.ts';
import { scaleOf, type ResidualTensor } from '../../../package/residual-tensor.ts';
import { varianceShare } from '../../upload/weight-variance.ts';
import type { ModelMoments } from './tensor-moments.ts';
import type { TensorPlace } from '../../../package/tensor-place.ts';

/** Sums over all blocks of a tensor. */
export interface TensorSums {
  readonly statistics: BigInt64Array;
  readonly errors: Float64Array;
  /** With equal weights for all elements; all 0 without a bound on the weights. */
  readonly plainErrors: Float64Array;
}

/** Largest weighted squared error of a tensor, relative to quantizing it afresh with the same step. */
export const errorRatioMax = 1.5;

/** The tensors with an error beyond {@link errorRatioMax}. */
export function tensorsBeyond(
  files: readonly (ResidualFile | undefined)[],
  sums: readonly ReadonlyMap<number, TensorSums>[],
): TensorPlace[] {
  return files.flatMap((residual, file) =>
    [...(residual?.residuals ?? [])]
      .filter(([tensor, record]) => {
        const { error, fresh } = latticeError(sums[file]!.get(tensor)!.errors, segmentOf(residual!, tensor, record));
        return error > errorRatioMax * fresh;
      })
      .map(([tensor]) => ({ file, tensor })),
  );
}

/** A tensor beyond `weightErrorMax`. */
export interface TensorOutsideBound extends TensorPlace {
  /** By how many octaves its error is beyond the bound. */
  readonly octaves: number;
}

/**
 * The tensors whose root mean square error is beyond `weightErrorMax` standard deviations of their weights. `excess` is
 * the largest squared error of a tensor, relative to its bound; undefined without a bound.
 */
export function errorsOfWeights(
  { moments, weightErrorMax }: { readonly moments: ModelMoments; readonly weightErrorMax?: number | undefined },
  files: readonly (ResidualFile | undefined)[],
  sums: readonly ReadonlyMap<number, TensorSums>[],
): { readonly outside: readonly TensorOutsideBound[]; readonly excess: number | undefined } {
  if (weightErrorMax === undefined) return { outside: [], excess: undefined };
  const outside: TensorOutsideBound[] = [];
  let excess = 0;
  for (const [file, residual] of files.entries()) {
    for (const [tensor, record] of residual?.residuals ?? []) {
      const { plainErrors } = sums[file]!.get(tensor)!;
      const { error } = latticeError(plainErrors, segmentOf(residual!, tensor, record));
      const share = varianceShare(moments[file]!.get(tensor)!);
      if (share === 0) continue;
      const ratio = error / (plainErrors[latticeErrorSquaresIndex]! * share) / weightErrorMax ** 2;
      excess = Math.max(excess, ratio);
      if (ratio > 1) outside.push({ file, tensor, octaves: Math.log2(ratio) / 2 });
    }
  }
  return { outside, excess };
}

export function segmentOf({ scales, layout }: ResidualFile, tensor: number, record: ResidualTensor): LatticeSegment {
  return latticeSegment(record, { elementCount: 1, scale: scaleOf(scales, layout.tensors[tensor]!.shape) });
}
