import { gptqPullMax } from '../../../../native/core.ts';

/**
 * Dead zone, in 1/256 steps, of weights whose movement since the ancestor's upload is known. Another step has to be
 * nearer than this, so that weights which training left alone stay where they are, although rounding with feedback
 * would shift them.
 */
export const movedDeadZone = 179;
/** The dead zone of rounding to the nearest step. */
const nearestZone = 128;

/**
 * By what share of the widened zone the movement of a typical weight reduces it: fitted so that no movement of the
 * tensor is lost on the whole, and none is made up. It grows with the logarithm of the movement, because weights that
 * move by a small part of a step are seldom near the middle between two.
 */
const share = { least: 0.31, most: 0.55, known: 0.5, atSteps: 0.03, perFold: 0.1 };

/**
 * How much smaller the dead zone of a weight is for each step that it moved in the direction of a rounding move
 * (`GptqMovement.pull`). `moved`: root mean square movement of its tensor's weights, in steps. `deadZone`: in 1/256
 * steps; nothing pulls where it is that of rounding to the nearest step.
 */
export function movementPull(moved: number, deadZone: number): number {
  if (!(moved > 0)) return 0;
  const widened = Math.max(0, deadZone - nearestZone) / 256;
  const { least, most, known, atSteps, perFold } = share;
  const reduced = Math.min(most, Math.max(least, known + perFold * Math.log(moved / atSteps)));
  return Math.min(gptqPullMax, (widened * reduced) / moved);
}
