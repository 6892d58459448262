import type { BlockRounding } from '../residual-coder.ts';

/**
 * Four steps: a weight with a smaller move counts as one that stays put. A weight beyond counts with the rest after its
 * move.
 */
const widestDeadZone = 1024;

/** A rounding that moves hardly any weight, to measure how far weights are from where they start. */
export const stayingPut: BlockRounding = {
  deadZone: widestDeadZone,
  ofTensor: () => ({ strength: 0, deadZone: widestDeadZone }),
};
