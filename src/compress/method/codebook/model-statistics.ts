import {
  sketchBuckets,
  sketchInfinitiesIndex,
  sketchNansIndex,
  sketchWords,
  sketchZerosIndex,
  type NativeCore,
  type Sketch,
} from '../../../native/core.ts';
import { forEachBounded } from '../../bounded-parallel.ts';
import { levelBlocks } from './level-blocks.ts';
import type { CodingPlan } from '../../plan/plan-codings.ts';
import type { WeightSource } from './held-weights.ts';

/** Statistics for thresholds: sketches of |w| and |g*w|, over all quantized weights and per group. */
export interface ModelStatistics {
  readonly magnitude: Sketch;
  readonly magnitudeByGroup: readonly Sketch[];
  /** Absent without gradients, and if none of them is usable: see `sensitivityUnusable`. */
  readonly sensitivity?: { readonly all: Sketch; readonly byGroup: readonly Sketch[] };
  /** The reason to ignore the uploaded gradients, in a sentence for the person who uploaded them. */
  readonly sensitivityUnusable?: string;
}

/**
 * One pass over the quantized tensors (Inshrinkerator section 4.3: sketches merge, so order and shards do not matter).
 */
export async function gatherStatistics(
  source: WeightSource,
  plan: CodingPlan,
  core: NativeCore,
  options: { parallel: number; signal?: AbortSignal },
): Promise<ModelStatistics> {
  const magnitudeByGroup = plan.groups.map(emptySketch);
  const sensitivityByGroup = plan.groups.map(emptySketch);
  await forEachBounded(levelBlocks(plan), options.parallel, async ({ file, block, group }) => {
    const pair = await source.readWeights(file, block, options.signal);
    await core.sketchValues(pair, magnitudeByGroup[group]!, options.signal);
    if (pair.gradients !== undefined) await core.sketchSensitivity(pair, sensitivityByGroup[group]!, options.signal);
  });
  const magnitude = merged(magnitudeByGroup);
  const sensitivity = merged(sensitivityByGroup);
  const usable = source.hasGradients && hasNonZero(sensitivity);
  return {
    magnitude,
    magnitudeByGroup,
    ...(usable ? { sensitivity: { all: sensitivity, byGroup: sensitivityByGroup } } : {}),
    ...(source.hasGradients && !usable
      ? { sensitivityUnusable: `The sensitivity file ${whatIsWrongWith(sensitivity)} and was treated as absent.` }
      : {}),
  };
}

/** The reason why a sketch has no value that is finite and not zero. */
function whatIsWrongWith(sensitivity: Sketch): string {
  const zeros = sensitivity[sketchZerosIndex]! > 0n;
  const notFinite = sensitivity[sketchNansIndex]! + sensitivity[sketchInfinitiesIndex]! > 0n;
  if (zeros) return notFinite ? 'has nothing but zeros and values that are not finite' : 'is all zero';
  return notFinite ? 'has no finite value' : 'covers no tensor that is quantized';
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

/** Number of values in a sketch, without non-finite ones. */
export function countOf(sketch: Sketch): number {
  let total = Number(sketch[sketchZerosIndex]!);
  for (let i = 0; i < sketchBuckets; i += 1) total += Number(sketch[i]!);
  return total;
}
