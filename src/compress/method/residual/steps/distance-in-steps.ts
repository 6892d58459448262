import { effectiveRank } from '../../../../graph/layers/layer-type-of.ts';
import { latticeErrorWords, type ContextCounts, type NativeCore } from '../../../../native/core.ts';
import { latticeError } from '../../../../native/lattice-error.ts';
import { latticeSegment, type ResidualFile } from '../../../../package/blocks/residual-block.ts';
import { scaleOf } from '../../../../package/residual-tensor.ts';
import { forEachBounded } from '../../../bounded-parallel.ts';
import type { EncodingOptions } from '../../quantized-model.ts';
import type { BlockPlace } from '../../../../package/blocks/block-plan.ts';

/** Most blocks sampled, spread evenly: 8 M weights give a good enough mean. */
const blocksMax = 64;

export interface DistanceParts extends EncodingOptions {
  readonly core: NativeCore;
  /** The values to compare weights with, and their steps. By file number. */
  readonly files: readonly (ResidualFile | undefined)[];
  /** Sums for a block's errors in which each weight counts alike; what they add to `counts` is ignored. */
  readonly errorsOf: (file: ResidualFile, at: BlockPlace, counts: ContextCounts) => Promise<Float64Array>;
}

/**
 * Root mean square distance of matrix weights from their rounded values, in steps. Undefined if these blocks contain no
 * matrix.
 */
export async function distanceInSteps(
  places: readonly BlockPlace[],
  { core, files, errorsOf, parallel }: DistanceParts,
) {
  const every = Math.max(1, Math.ceil(places.length / blocksMax));
  const looked = places.filter((_, i) => i % every === 0);
  const counts = core.createContextCounts();
  const sums: { readonly squares: number; readonly count: number }[] = [];
  await forEachBounded(looked.entries(), parallel, async ([i, at]) => {
    const file = files[at.file]!;
    sums[i] = blockSum(file, at, await errorsOf(file, at, counts));
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
