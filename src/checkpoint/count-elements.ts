/** Elements of a tensor of this shape, or of some of its axes; 1 for no axes. Inexact beyond 2^53 - 1. */
export function countElements(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
