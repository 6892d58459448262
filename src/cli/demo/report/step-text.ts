/** Below this number of steps one decimal is shown, because a series may count epochs. */
const tenthsBelow = 100;
/** Largest rounding error of an interpolated step. */
const arithmeticMax = 1e-6;

/** A step between uploads, rounded down, so that a lag is never rounded to zero. */
export function stepText(step: number): string {
  const digits = step < tenthsBelow ? 1 : 0;
  return (Math.floor(step * 10 ** digits + arithmeticMax) / 10 ** digits).toLocaleString('en-US');
}
