import type { WeightBlock } from '../core.ts';
import { nativeNumbers } from '../check/native-numbers.ts';

/** A pair, and the name under which a device holds it; empty without one. */
export function namedPairArguments(pair: WeightBlock) {
  return [...pairArguments(pair), pair.heldAs ?? ''] as const;
}

/** The first arguments of every call with weights and gradients. */
export function pairArguments({ weights, weightDtype, gradients, gradientDtype = 'F32' }: WeightBlock) {
  return [weights, nativeNumbers.dtype[weightDtype], gradients, nativeNumbers.dtype[gradientDtype]] as const;
}
