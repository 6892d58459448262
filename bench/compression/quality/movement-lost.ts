/** One tensor as uploaded now and one checkpoint before, and as rebuilt now. */
export interface MovedTensor {
  readonly weights: Float32Array;
  readonly before: Float32Array;
  readonly rebuilt: Float32Array;
}

/**
 * The share of the movement since the checkpoint before that rebuilt weights lack: the projection of their error on it,
 * negated. 0 if errors have nothing to do with the direction of training, 1 if the weights have not moved, negative if
 * they run ahead. Training on from such weights repeats that share, while an error without direction soon disappears. 0
 * without any movement.
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
