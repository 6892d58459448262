import { stepsPerOctave } from '../../../../package/residual-tensor.ts';
import { isResumed, type Resumption } from '../../../ancestor/resumed-training.ts';

/**
 * How much the step of a delta may exceed the last checkpoint's, in 1/32 octaves (19 %). If steps grew freely, a late
 * checkpoint could remain equal to its rebuilt ancestor: this passes the threshold for a long time, and its error is
 * within 1.5 times that of a fresh quantization with so coarse a step. Training that the metric does not show would be
 * lost.
 */
const growthMax = 8;
/**
 * The same limit for a base (an octave), which rounds every weight anew: a metric may tolerate a lot for a while, and
 * the step should not follow at once.
 */
const baseGrowthMax = 32;
/**
 * The same limit relative to the ancestor if training was resumed (2 %): rounding errors fill a whole step only as
 * weights move.
 */
const resumedGrowthMax = 1;
/**
 * Largest step of a checkpoint with training just resumed, relative to the root mean square of its weights' moves.
 * Measured with ten restarts in a run: 2.5, 3 and 3.5 cost -0.1, 0 and 1.3 % of the loss.
 */
const stepsPerMovement = 3;
/** Up to this threshold that limit applies; above it, the step may grow with the threshold's square root. */
const strictThreshold = 0.01;

export interface StepBasis {
  /** Step of the previous checkpoint. */
  readonly lastStep: number | undefined;
  /** Absent for a base. */
  readonly ancestorStep: number | undefined;
  /** Absent if resumption is not looked for. */
  readonly resumption: Resumption | undefined;
}

/** The largest step a search may take, in 1/32 octaves; undefined without a bound. */
export function stepBound({ lastStep, ancestorStep, resumption }: StepBasis): number | undefined {
  if (resumption === undefined || !isResumed(resumption)) {
    return lastStep === undefined ? undefined : lastStep + (ancestorStep === undefined ? baseGrowthMax : growthMax);
  }
  // A base rounds every weight anew, so nothing lags behind.
  if (ancestorStep === undefined) return undefined;
  const grown = ancestorStep + resumedGrowthMax;
  if (!resumption.here || resumption.drift === 0) return grown;
  const { drift, threshold } = resumption;
  const perMovement = stepsPerMovement * Math.sqrt(Math.max(1, threshold / strictThreshold));
  return Math.min(grown, ancestorStep + Math.floor(stepsPerOctave * Math.log2(perMovement * drift)));
}
