import { forEachBounded } from './bounded-parallel.ts';
import type { NativeCore } from '../native/core.ts';
import type { ModelSource } from './model-source.ts';
import { residualBlocks, type CodingPlan } from './plan-codings.ts';
import type { FormOptions } from './quantized-form.ts';

/** Sums over one tensor; those of its blocks add up. */
export interface TensorMoments {
  readonly elementCount: number;
  readonly sum: number;
  readonly sumOfSquares: number;
  readonly magnitudeMax: number;
  /** Of the gradients; 0 without any. */
  readonly gradientSumOfSquares: number;
}

/** By file number, by tensor number. */
export type ModelMoments = readonly ReadonlyMap<number, TensorMoments>[];

/**
 * Sums over every residual tensor. They choose steps, which are stored, so they are added up in one order: element by element inside a block, blocks
 * in their order.
 */
export async function gatherMoments(source: ModelSource, plan: CodingPlan, core: NativeCore, { parallel, signal }: FormOptions): Promise<ModelMoments> {
  const places = [...residualBlocks(plan)];
  const found = places.map((): readonly TensorMoments[] => []);
  await forEachBounded(places.entries(), parallel, async ([i, { file, block }]) => {
    const { weights, weightDtype, gradients } = await source.readWeights(file, block, signal);
    const values = asFloats(weightDtype === 'F32' ? weights : await core.convert(weights, weightDtype, 'F32', signal));
    const slopes = gradients === undefined ? undefined : asFloats(gradients);
    let first = 0;
    found[i] = block.segments.map(({ elementCount }) => {
      first += elementCount;
      return momentsOf(values.subarray(first - elementCount, first), slopes?.subarray(first - elementCount, first));
    });
  });
  const moments = plan.files.map(() => new Map<number, TensorMoments>());
  for (const [i, { file, block }] of places.entries()) {
    for (const [s, { tensor }] of block.segments.entries()) {
      const before = moments[file]!.get(tensor);
      const here = found[i]![s]!;
      moments[file]!.set(tensor, before === undefined ? here : added(before, here));
    }
  }
  return moments;
}

function momentsOf(values: Float32Array, gradients: Float32Array | undefined): TensorMoments {
  let sum = 0;
  let sumOfSquares = 0;
  let magnitudeMax = 0;
  for (const value of values) {
    sum += value;
    sumOfSquares += value * value;
    magnitudeMax = Math.max(magnitudeMax, Math.abs(value));
  }
  let gradientSumOfSquares = 0;
  for (const gradient of gradients ?? []) if (Number.isFinite(gradient)) gradientSumOfSquares += gradient * gradient;
  return { elementCount: values.length, sum, sumOfSquares, magnitudeMax, gradientSumOfSquares };
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

/** The same bytes as numbers; copied where they are not aligned. */
function asFloats(bytes: Uint8Array): Float32Array {
  const aligned = bytes.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0 ? bytes : Uint8Array.from(bytes);
  return new Float32Array(aligned.buffer, aligned.byteOffset, aligned.length / Float32Array.BYTES_PER_ELEMENT);
}

/** Variance about the mean, at least 0. */
export function varianceOf({ elementCount, sum, sumOfSquares }: TensorMoments): number {
  return Math.max(0, sumOfSquares / elementCount - (sum / elementCount) ** 2);
}
