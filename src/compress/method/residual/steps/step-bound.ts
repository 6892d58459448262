import { stepsPerOctave, type ResidualTensor } from '../../../../package/residual-tensor.ts';
import { isResumed, type Resumption } from '../../../ancestor/resumed-training.ts';

/**
 * How much the step of a delta may exceed the last checkpoint's with the rounding `archive`, in 1/32 octaves (19 %). If
 * steps grew freely, a late checkpoint could remain equal to its rebuilt ancestor: this passes the threshold for a long
 * time, and its error is within 1.5 times that of a fresh quantization with so coarse a step. Training that the metric
 * does not show would be lost.
 */
const growthMax = 8;
/**
 * The same where rounding follows how weights moved. Chance lets a metric tolerate a coarse step for a while; whoever
 * follows it at once has to go back, for the bytes of several deltas.
 */
const followedGrowthMax = 4;
/**
 * The same limit for a base (an octave), which rounds every weight anew: a metric may tolerate a lot for a while, and
 * the step should not follow at once.
 */
const baseGrowthMax = 32;
/**
 * Largest step of a checkpoint with training just resumed, relative to the root mean square of its weights' moves.
 * Measured with ten restarts in a run: 2.5, 3 and 3.5 cost -0.1, 0 and 1.3 % of the loss.
 */
const stepsPerMovement = 3;
/**
 * The same where weights start from exact ones, whatever the threshold. If moves are normal, nine tenths of the
 * movement is kept along its direction, and three quarters with 3.
 */
const startedStepsPerMovement = 2.5;
/**
 * Largest step of a tensor whose rounding follows its movement (movement-pull.ts), relative to the root mean square of
 * that, as far as it exceeds the ancestor's step. At 4 about a fifth of the weights move. If fewer did, more of
 * the movement would be lost (docs/decisions/0076-steps-grow-while-weights-move.md).
 */
const followedStepsPerMovement = 4;
/** Up to this threshold that limit applies; above it, the step may grow with the threshold's square root. */
const strictThreshold = 0.01;

export interface StepBasis {
  /** Step of the previous checkpoint. */
  readonly lastStep: number | undefined;
  /** Absent for a base. */
  readonly ancestorStep: number | undefined;
  readonly toNearest: boolean;
  /** Whether rounding follows how weights moved, and every tensor has a limit of its own ({@link followedStepLog2}). */
  readonly follows?: boolean;
  /** Absent if resumption is not looked for. */
  readonly resumption: Resumption | undefined;
}

/**
 * The largest step code of one tensor, before the package's scale, where weights are rounded to the nearest step: the
 * step that it has in the ancestor, whatever the common step is. A tensor that was given a finer step than the others
 * there would otherwise return to theirs, and stand still until it needs the finer one again. {@link followedStepLog2}
 * lets it grow where that does not happen.
 */
export function tensorStepMax(
  { shift }: Pick<ResidualTensor, 'shift'>,
  scale: number,
  before: { readonly stepCode: number; readonly scale: number },
): number {
  return before.stepCode + before.scale + shift * stepsPerOctave - scale;
}

/**
 * log2 of the largest step to which that of a tensor may grow beyond its ancestor's. `moved`: root mean square distance
 * of its weights from those of the ancestor's upload; -Infinity if it is not known.
 */
export function followedStepLog2(moved: number | undefined): number {
  return moved === undefined ? -Infinity : Math.log2(followedStepsPerMovement * moved);
}

/**
 * The largest step a search may take, in 1/32 octaves; undefined without a bound. The step of a delta whose weights are
 * rounded to the nearest one does not grow at all, unless rounding follows how they moved: rounding errors fill a
 * larger step only as weights move, and until then too few of them would.
 */
export function stepBound({ lastStep, ancestorStep, toNearest, follows, resumption }: StepBasis): number | undefined {
  if (ancestorStep === undefined) {
    // A base rounds every weight anew, so nothing lags behind.
    if (lastStep === undefined || (resumption !== undefined && isResumed(resumption))) return undefined;
    return lastStep + baseGrowthMax;
  }
  if (follows === true) return ancestorStep + followedGrowthMax;
  if (!toNearest) return lastStep === undefined ? undefined : lastStep + growthMax;
  if (resumption === undefined || !resumption.here || resumption.drift === 0) return ancestorStep;
  const { drift, threshold } = resumption;
  const perMovement = stepsPerMovement * Math.sqrt(Math.max(1, threshold / strictThreshold));
  return ancestorStep + Math.min(0, Math.floor(stepsPerOctave * Math.log2(perMovement * drift)));
}

/**
 * The largest step for weights that start from exact ones, in 1/32 octaves; undefined without a bound. Otherwise a
 * metric that hardly tells a fine-tune from its base would pass with no weight moved, whatever was trained.
 * `movement`: see measureMovement.
 */
export function startedStepBound(movement: number | undefined): number | undefined {
  if (movement === undefined || movement === 0) return undefined;
  return Math.floor(stepsPerOctave * Math.log2(startedStepsPerMovement * movement));
}
