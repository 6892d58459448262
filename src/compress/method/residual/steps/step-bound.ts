import { stepsPerOctave } from '../../../../package/residual-tensor.ts';
import { isResumed, type Resumption } from '../../../ancestor/resumed-training.ts';

/**
 * How far the step of a delta may grow over the last checkpoint's, in 1/32 octaves (19 %). With steps that grow freely
 * a late checkpoint could stay what its ancestor rebuilds, which is inside the threshold for long, and its error inside
 * 1.5 times that of a fresh quantization with so coarse a step; training would be lost that the metric does not show.
 */
const growthMax = 8;
/**
 * The same of a base (an octave), which rounds every weight anew: a model whose metric forgives much for a while is not
 * to be followed at once.
 */
const baseGrowthMax = 32;
/**
 * The same over the ancestor's, where training was resumed (2 %): what rounding leaves fills a step only as weights
 * move.
 */
const resumedGrowthMax = 1;
/**
 * Largest step of a checkpoint whose training was just resumed, in the root mean square of what its weights have moved.
 * Measured with ten restarts in a run: 2.5, 3 and 3.5 cost -0.1, 0 and 1.3 % of the loss.
 */
const stepsPerMovement = 3;
/** The threshold up to which that holds; above, the step may grow with its square root. */
const strictThreshold = 0.01;

export interface StepBasis {
  /** Of the checkpoint before. */
  readonly lastStep: number | undefined;
  /** Absent for a base. */
  readonly ancestorStep: number | undefined;
  /** Absent where it is not looked for. */
  readonly resumption: Resumption | undefined;
}

/** The largest step a search may take, in 1/32 octaves; undefined without a bound. */
export function stepBound({ lastStep, ancestorStep, resumption }: StepBasis): number | undefined {
  if (resumption === undefined || !isResumed(resumption)) {
    return lastStep === undefined ? undefined : lastStep + (ancestorStep === undefined ? baseGrowthMax : growthMax);
  }
  // A base rounds every weight anew, so nothing lags.
  if (ancestorStep === undefined) return undefined;
  const grown = ancestorStep + resumedGrowthMax;
  if (!resumption.here || resumption.drift === 0) return grown;
  const { drift, threshold } = resumption;
  const perMovement = stepsPerMovement * Math.sqrt(Math.max(1, threshold / strictThreshold));
  return Math.min(grown, ancestorStep + Math.floor(stepsPerOctave * Math.log2(perMovement * drift)));
}
