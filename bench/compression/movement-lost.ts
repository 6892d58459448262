/** One tensor as uploaded now and a checkpoint before, and as rebuilt now. */
export interface MovedTensor {
  readonly weights: Float32Array;
  readonly before: Float32Array;
  readonly rebuilt: Float32Array;
}

/**
 * The share of the movement since the checkpoint before that rebuilt weights lack: the projection of their error on it,
 * negative. 0 when errors have nothing to do with where training goes, 1 when the weights stand where they stood;
 * negative when they run ahead. Whoever trains on from such weights repeats that share, while an error without
 * direction is soon trained away. 0 without any movement.
 */
export function movementLost(tensors: readonly MovedTensor[]): number {
  let [along, squares] = [0, 0];
  for (const { weights, before, rebuilt } of tensors) {
    for (let i = 0; i < weights.length; i += 1) {
      const movement = weights[i]! - before[i]!;
      along += (weights[i]! - rebuilt[i]!) * movement;
      squares += movement * movement;
    }
  }
  return squares === 0 ? 0 : along / squares;
}
