import { sketchBuckets, sketchWords, sketchZerosIndex, type NativeCore, type Sketch } from '../native/core.ts';
import { forEachBounded } from './bounded-parallel.ts';
import type { ModelSource } from './model-source.ts';
import { levelBlocks, type CodingPlan } from './plan-codings.ts';

/** What thresholds are computed from: sketches of |w| and |g*w|, over everything quantized and per group. */
export interface ModelStatistics {
  readonly magnitude: Sketch;
  readonly magnitudeByGroup: readonly Sketch[];
  /** Absent without gradients, and when all of them are zero. */
  readonly sensitivity?: { readonly all: Sketch; readonly byGroup: readonly Sketch[] };
  /** True when gradients were there but all zero: they are treated as absent. */
  readonly sensitivityAllZero: boolean;
}

/** One pass over the quantized tensors (Inshrinkerator section 4.3: sketches merge, so order and shards do not matter). */
export async function gatherStatistics(
  source: ModelSource,
  plan: CodingPlan,
  core: NativeCore,
  options: { parallel: number; signal?: AbortSignal },
): Promise<ModelStatistics> {
  const magnitudeByGroup = plan.groups.map(emptySketch);
  const sensitivityByGroup = plan.groups.map(emptySketch);
  await forEachBounded(levelBlocks(plan), options.parallel, async ({ file, block, group }) => {
    const pair = await source.readWeights(file, block, options.signal);
    await core.sketchValues(pair.weights, pair.weightDtype, magnitudeByGroup[group]!, options.signal);
    if (pair.gradients !== undefined) await core.sketchSensitivity(pair, sensitivityByGroup[group]!, options.signal);
  });
  const magnitude = merged(magnitudeByGroup);
  const sensitivity = merged(sensitivityByGroup);
  const usable = source.hasGradients && hasNonZero(sensitivity);
  return {
    magnitude,
    magnitudeByGroup,
    sensitivityAllZero: source.hasGradients && !usable,
    ...(usable ? { sensitivity: { all: sensitivity, byGroup: sensitivityByGroup } } : {}),
  };
}

export function emptySketch(): Sketch {
  return new BigUint64Array(sketchWords);
}

export function merged(sketches: readonly Sketch[]): Sketch {
  const sum = emptySketch();
  for (const sketch of sketches)
    sketch.forEach((count, i) => {
      if (count > 0n) sum[i] = sum[i]! + count;
    });
  return sum;
}

function hasNonZero(sketch: Sketch): boolean {
  return sketch.subarray(0, sketchBuckets).some((count) => count > 0n);
}

/** Values counted in a sketch, non-finite ones left out. */
export function countOf(sketch: Sketch): number {
  let total = Number(sketch[sketchZerosIndex]!);
  for (let i = 0; i < sketchBuckets; i += 1) total += Number(sketch[i]!);
  return total;
}
