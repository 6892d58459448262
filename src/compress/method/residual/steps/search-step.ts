import { residualStepMax, residualStepMin } from '../../../../checkpoint/options/methods/residual-config.ts';
import type { FoundConfig, TrialOutcome, TrialRunner } from '../../../../search/trial-runner.ts';

/**
 * The step that a run's first checkpoint tries first if nothing limits it: three standard deviations. Only a barely
 * trained model passes with it. In 1/32 octaves.
 */
export const firstStep = 51;

/**
 * Once a step has passed, the search ends after this many trials: of a run's first checkpoint, of a later base, and of
 * a delta. A base has more because its deltas depend on it.
 */
const trialsEnough = { first: 8, base: 6, delta: 4 };
/**
 * A search has one trial more if the step that passed last uses less than this share of the threshold, and is finer by
 * more than these 1/32 octaves than the finest that failed: then it is finer than it has to be, for all weights.
 */
const overshot = { worst: 0.6, apart: 8 };
/** Trials of a checkpoint, over all its searches: if no step has passed by then, it is given up. */
export const trialsMost = 12;
/**
 * The last trial of a base, if no step has passed yet, goes this much beyond the prediction, in 1/32 octaves (half of
 * the degradation), however far that is.
 */
const lastMove = -16;
/**
 * In units of the threshold: the degradation that the next step aims at, a little inside because predictions miss, and
 * the degradation from which another trial no longer pays.
 */
interface Aim {
  readonly target: number;
  readonly closeEnough: number;
}

const usualAim: Aim = { target: 0.975, closeEnough: 0.95 };
/**
 * A later base stays well inside. The first delta has to make up for a base at the threshold: it inherits the base's
 * errors, adds its own, and pays for every weight it moves, while a finer base pays a fraction of a bit. Measured:
 * docs/decisions/0018-steps-follow-gradients.md.
 */
const baseAim: Aim = { target: 0.75, closeEnough: 0.65 };
/** Outcomes below this, in thresholds, say little about the step at which the target is reached. */
const leastWorst = 0.05;
/** Largest change between two trials, in 1/32 octaves. */
const coarsestMove = 24;

/** Start and upper limit of a search of steps, in 1/32 octaves. */
export interface StepStart {
  /** The step of the checkpoint before; absent for a run's first. */
  readonly last: number | undefined;
  readonly isBase: boolean;
  /** The largest step allowed. */
  readonly max?: number | undefined;
  /** What a run's first checkpoint tries first; {@link firstStep} if absent. */
  readonly first?: number | undefined;
}

/**
 * Searches the step of the residual method: degradation grows about with its square, so each trial predicts the next,
 * between the largest step that passed and the smallest that failed. A later checkpoint starts at the last one's step,
 * which most often passes at once. The cheapest step that passed wins; undefined when none did.
 */
export async function searchStep(
  { last, isBase, max = residualStepMax, first = firstStep }: StepStart,
  runner: TrialRunner,
): Promise<FoundConfig | undefined> {
  const stepMax = Math.max(residualStepMin, Math.min(residualStepMax, max));
  const enough = trialsEnough[last === undefined ? 'first' : isBase ? 'base' : 'delta'];
  const aim = last !== undefined && isBase ? baseAim : usualAim;
  let step = Math.min(stepMax, last ?? first);
  let passed = -Infinity;
  let failed = Infinity;
  let standing = 0;
  let until = enough;
  let before: Tried | undefined;
  for (let trials = 1; !runner.exhausted; trials += 1) {
    const outcome = await runner.trial({ method: 'residual', step });
    if (outcome.passed) passed = Math.max(passed, step);
    else failed = Math.min(failed, step);
    standing =
      !outcome.passed && before !== undefined && standsStill(before, { step, worst: outcome.worst }) ? standing + 1 : 0;
    before = { step, worst: outcome.worst };
    const closed = outcome.passed && outcome.worst >= aim.closeEnough;
    if (trials >= enough && until === enough && isOvershot(outcome, failed - step)) until = trials + 1;
    if (closed || trials >= trialsMost || (passed > -Infinity && trials >= until)) break;
    const isLast = isBase && passed === -Infinity && runner.trialsLeft === 1;
    const next = nextStep(step, outcome, aim, { passed, failed, stepMax, standing, isLast });
    if (next === undefined) break;
    step = next;
  }
  return runner.cheapestPassed();
}

/**
 * The factor of the quantization step at which the outcome would be `target`: a degradation grows with the square of
 * the step, its standard error with the step.
 */
function stepFactor({ worst, uncertain = 0 }: TrialOutcome, target: number): number {
  if (worst === Infinity) return 0;
  if (worst <= leastWorst) return Math.sqrt(target / leastWorst);
  const [square, linear] = [Math.max(0, worst - uncertain), Math.min(uncertain, worst)];
  return (2 * target) / (linear + Math.sqrt(linear ** 2 + 4 * square * target));
}

function isOvershot({ passed, worst }: TrialOutcome, apart: number): boolean {
  return passed && worst < overshot.worst && Number.isFinite(apart) && apart > overshot.apart;
}

interface Tried {
  readonly step: number;
  readonly worst: number;
}

/** Whether a finer step removed less than half of the degradation that the square law predicts. */
function standsStill(before: Tried, now: Tried): boolean {
  const expected = 2 ** ((now.step - before.step) / 16);
  return now.step < before.step && now.worst > (before.worst * (1 + expected)) / 2;
}

interface Bracket {
  readonly passed: number;
  readonly failed: number;
  readonly stepMax: number;
  /** Consecutive failed trials in which a finer step hardly helped ({@link standsStill}). */
  readonly standing: number;
  /** Whether the next trial is the last of a base for which no step has passed. */
  readonly isLast: boolean;
}

/**
 * A step strictly between the largest that passed and the smallest that failed, and at most the largest step allowed;
 * undefined when there is none.
 */
function nextStep(
  step: number,
  outcome: TrialOutcome,
  { target }: Aim,
  { passed, failed, stepMax, standing, isLast }: Bracket,
): number | undefined {
  const predictedMove = Math.round(32 * Math.log2(stepFactor(outcome, target)));
  // While no weight moves, quality does not depend on the step, so the predicted change is doubled until some do.
  const move = standing === 0 ? predictedMove : Math.min(predictedMove, -(2 ** standing));
  const usual = Math.max(
    -coarsestMove,
    Math.min(coarsestMove, outcome.passed ? Math.max(1, move) : Math.min(-1, move)),
  );
  const predicted = Math.min(stepMax, step + (isLast ? Math.min(-1, move) + lastMove : usual));
  const low = Math.max(passed + 1, residualStepMin);
  const high = Math.min(failed - 1, stepMax);
  if (low > high) return undefined;
  // If quality is not monotone, the prediction may leave the bracket; halving the bracket always ends.
  const inside =
    predicted > high || predicted < low
      ? Math.round(
          ((Number.isFinite(passed) ? passed : predicted) + (Number.isFinite(failed) ? failed : predicted)) / 2,
        )
      : predicted;
  return Math.min(high, Math.max(low, inside));
}
