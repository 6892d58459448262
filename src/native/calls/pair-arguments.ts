import type { WeightBlock } from '../core.ts';
import { nativeNumbers } from '../check/native-numbers.ts';

/** The first arguments of every call with weights and gradients. */
export function pairArguments({ weights, weightDtype, gradients, gradientDtype = 'F32' }: WeightBlock) {
  return [weights, nativeNumbers.dtype[weightDtype], gradients, nativeNumbers.dtype[gradientDtype]] as const;
}
