import { forEachBounded } from '../../bounded-parallel.ts';
import type { WeightMoments } from '../../../native/core.ts';
import type { ModelSource } from '../../upload/model-source.ts';
import { residualBlocks } from './residual-blocks.ts';
import type { CodingPlan } from '../../plan/plan-codings.ts';
import type { EncodingOptions } from '../quantized-model.ts';

/** Sums over one tensor, added up over its blocks. */
export interface TensorMoments extends WeightMoments {
  readonly elementCount: number;
}

/** By file number, by tensor number. */
export type ModelMoments = readonly ReadonlyMap<number, TensorMoments>[];

/**
 * Sums over every residual tensor. They determine steps, which are stored, so the order of addition is fixed: the
 * core's inside a block, then block after block.
 */
export async function gatherMoments(
  source: ModelSource,
  plan: CodingPlan,
  { parallel, signal }: EncodingOptions,
): Promise<ModelMoments> {
  const places = [...residualBlocks(plan)];
  const found: (readonly WeightMoments[])[] = [];
  await forEachBounded(places.entries(), parallel, async ([i, { file, block }]) => {
    found[i] = await source.moments(file, block, signal);
  });
  const moments = plan.files.map(() => new Map<number, TensorMoments>());
  for (const [i, { file, block }] of places.entries()) {
    for (const [s, { tensor, elementCount }] of block.segments.entries()) {
      const before = moments[file]!.get(tensor);
      const here = { ...found[i]![s]!, elementCount };
      moments[file]!.set(tensor, before === undefined ? here : added(before, here));
    }
  }
  return moments;
}

function added(a: TensorMoments, b: TensorMoments): TensorMoments {
  return {
    elementCount: a.elementCount + b.elementCount,
    sum: a.sum + b.sum,
    sumOfSquares: a.sumOfSquares + b.sumOfSquares,
    magnitudeMax: Math.max(a.magnitudeMax, b.magnitudeMax),
    gradientSumOfSquares: a.gradientSumOfSquares + b.gradientSumOfSquares,
  };
}
