import { effectiveRank } from '../../../../graph/layers/layer-type-of.ts';
import { latticeErrorWords, type NativeCore } from '../../../../native/core.ts';
import { latticeError } from '../../../../native/lattice-error.ts';
import { latticeSegment, type ResidualFile } from '../../../../package/blocks/residual-block.ts';
import { scaleOf } from '../../../../package/residual-tensor.ts';
import { forEachBounded } from '../../../bounded-parallel.ts';
import type { EncodingOptions } from '../../quantized-model.ts';
import type { BlockPlace } from '../../../../package/blocks/block-plan.ts';
import type { BlockRounding, ResidualCoder } from '../residual-coder.ts';

/** Blocks looked at, spread evenly: 8 M weights tell a mean well enough. */
const blocksMax = 64;

export interface DistanceParts extends EncodingOptions {
  readonly core: NativeCore;
  readonly coder: ResidualCoder;
  /** Where what weights are compared with lies, and the steps that count. By file number. */
  readonly files: readonly (ResidualFile | undefined)[];
  readonly roundingOf: (at: BlockPlace) => BlockRounding;
}

/**
 * Root mean square, in steps, of how far the weights of matrices are from what they are rounded to. Undefined where
 * these blocks hold no matrix.
 */
export async function distanceInSteps(
  places: readonly BlockPlace[],
  { core, coder, files, roundingOf, parallel, signal }: DistanceParts,
) {
  const every = Math.max(1, Math.ceil(places.length / blocksMax));
  const looked = places.filter((_, i) => i % every === 0);
  const counts = core.createContextCounts();
  const sums: { readonly squares: number; readonly count: number }[] = [];
  await forEachBounded(looked.entries(), parallel, async ([i, at]) => {
    const file = files[at.file]!;
    sums[i] = blockSum(file, at, await coder.errors(file, at, roundingOf(at), counts, signal));
  });
  const count = sums.reduce((total, block) => total + block.count, 0);
  const squares = sums.reduce((total, block) => total + block.squares, 0);
  return count === 0 ? undefined : Math.sqrt(squares / count);
}

function blockSum(file: ResidualFile, { block }: BlockPlace, errors: Float64Array): { squares: number; count: number } {
  let squares = 0;
  let count = 0;
  for (const [s, { tensor, elementCount }] of block.segments.entries()) {
    const { shape } = file.layout.tensors[tensor]!;
    if (effectiveRank(shape) <= 1) continue;
    const segment = latticeSegment(file.residuals.get(tensor)!, { elementCount, scale: scaleOf(file.scales, shape) });
    squares +=
      latticeError(errors.subarray(s * latticeErrorWords, (s + 1) * latticeErrorWords), segment).error /
      segment.step ** 2;
    count += elementCount;
  }
  return { squares, count };
}
