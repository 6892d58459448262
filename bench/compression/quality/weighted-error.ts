import type { ErrorRatio } from '../method-result.ts';

/**
 * Squared error of rebuilt values, each weighted by its squared gradient, or by 1 if the tensor has no gradients or
 * only zeros.
 */
export function weightedError(
  weights: Float32Array,
  rebuilt: ArrayLike<number>,
  gradients: Float32Array | undefined,
): number {
  const usable = gradients?.some((gradient) => gradient !== 0) === true ? gradients : undefined;
  let error = 0;
  for (let i = 0; i < weights.length; i += 1) {
    const importance = usable === undefined ? 1 : usable[i]! ** 2;
    error += importance * (weights[i]! - rebuilt[i]!) ** 2;
  }
  return error;
}

/** Each tensor rounded to whole multiples of its step, zero among them. */
export function roundAfresh(weights: Float32Array, step: number): Float32Array {
  return weights.map((weight) => Math.round(weight / step) * step);
}

/**
 * Ratios of tensors' errors to those of quantizing afresh. A tensor without error in both cases cannot be the worst.
 */
export function errorRatio(
  tensors: readonly { readonly name: string; readonly error: number; readonly fresh: number }[],
): ErrorRatio {
  const error = tensors.reduce((sum, each) => sum + each.error, 0);
  const fresh = tensors.reduce((sum, each) => sum + each.fresh, 0);
  let worst = { worst: 0, worstTensor: '' };
  for (const each of tensors)
    if (each.fresh > 0 && each.error / each.fresh > worst.worst)
      worst = { worst: each.error / each.fresh, worstTensor: each.name };
  return { pooled: fresh === 0 ? 0 : error / fresh, ...worst };
}
