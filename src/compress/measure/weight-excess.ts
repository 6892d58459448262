import { forEachBounded } from '../bounded-parallel.ts';
import type { CandidateModel } from '../encode/candidate-file.ts';
import type { EncodingOptions, QuantizedModel } from '../method/quantized-model.ts';
import { quantizedBlocks } from '../plan/plan-codings.ts';
import { floatsOf, squaredDistance } from '../upload/squared-distance.ts';
import { varianceShare } from '../upload/weight-variance.ts';

/** Sums over the elements of one segment, or of one tensor. */
interface ErrorSums {
  readonly elementCount: number;
  readonly sum: number;
  readonly sumOfSquares: number;
  readonly errorSquares: number;
}

/**
 * Largest mean squared error of a quantized tensor, in squares of `weightErrorMax` standard deviations of its weights,
 * for methods that do not bound it themselves. The order of addition is fixed, so that a search that is taken over
 * finds the same. Rejects with the errors of the store.
 */
export async function weightExcess(
  { source, plan, quantized }: CandidateModel & { readonly quantized: QuantizedModel },
  weightErrorMax: number,
  { parallel, signal }: EncodingOptions,
): Promise<number> {
  const places = [...quantizedBlocks(plan)];
  const found: (readonly ErrorSums[])[] = [];
  await forEachBounded(places.entries(), parallel, async ([i, place]) => {
    const { file, block } = place;
    const moments = await source.moments(file, block, signal);
    const weights = floatsOf(await source.widen(place, await source.readBlock(file, block, signal), signal));
    const rebuilt = floatsOf(await source.widen(place, await quantized.elements(place, signal), signal));
    let first = 0;
    found[i] = block.segments.map(({ elementCount }, segment) => {
      const errorSquares = squaredDistance(weights, rebuilt, first, first + elementCount);
      first += elementCount;
      return { elementCount, ...moments[segment]!, errorSquares };
    });
  });
  const tensors = plan.files.map(() => new Map<number, ErrorSums>());
  for (const [i, { file, block }] of places.entries()) {
    for (const [segment, { tensor }] of block.segments.entries()) {
      const before = tensors[file]!.get(tensor);
      const here = found[i]![segment]!;
      tensors[file]!.set(tensor, before === undefined ? here : added(before, here));
    }
  }
  let excess = 0;
  for (const { errorSquares, ...sums } of tensors.flatMap((byTensor) => [...byTensor.values()])) {
    const share = varianceShare(sums);
    if (share > 0) excess = Math.max(excess, errorSquares / (share * sums.sumOfSquares) / weightErrorMax ** 2);
  }
  return excess;
}

function added(a: ErrorSums, b: ErrorSums): ErrorSums {
  return {
    elementCount: a.elementCount + b.elementCount,
    sum: a.sum + b.sum,
    sumOfSquares: a.sumOfSquares + b.sumOfSquares,
    errorSquares: a.errorSquares + b.errorSquares,
  };
}
