import type { WeightBlock } from '../core.ts';
import { nativeNumbers } from '../check/native-numbers.ts';

/** The arguments that every call with weights and gradients begins with. */
export function pairArguments({ weights, weightDtype, gradients, gradientDtype = 'F32' }: WeightBlock) {
  return [weights, nativeNumbers.dtype[weightDtype], gradients, nativeNumbers.dtype[gradientDtype]] as const;
}
