/** Below this many steps a tenth of one counts: a series may count epochs. */
const tenthsBelow = 100;
/** What a step may miss its true value by, from the arithmetic of the line it lies on. */
const arithmeticMax = 1e-6;

/** A step between uploads, rounded down, so that a model that is behind never reads as if it were not. */
export function stepText(step: number): string {
  const digits = step < tenthsBelow ? 1 : 0;
  return (Math.floor(step * 10 ** digits + arithmeticMax) / 10 ** digits).toLocaleString('en-US');
}
