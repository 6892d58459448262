import { movementLost } from '../compression/quality/movement-lost.ts';

/** One tensor as uploaded, as rebuilt, and as uploaded a checkpoint before; values as fp32. */
export interface ComparedTensor {
  readonly name: string;
  readonly weights: Float32Array;
  readonly rebuilt: Float32Array;
  readonly before?: Float32Array | undefined;
}

export interface WeightError {
  readonly name: string;
  readonly elementCount: number;
  /**
   * Norm of the error divided by the norm of the weights; 0 if they agree, infinite if only the weights are all zero.
   */
  readonly relativeError: number;
  /** Whether all rebuilt values are equal although the uploaded ones are not. */
  readonly collapsed: boolean;
  /**
   * Norm of the error divided by the norm of the movement since the checkpoint before; undefined without one, or
   * without movement.
   */
  readonly errorToMovement: number | undefined;
  /**
   * Share of that movement that the rebuilt weights lack: 0 none, 1 all of it, negative if they run ahead. Undefined in
   * the same cases.
   */
  readonly movementLost: number | undefined;
}

/** Error of one rebuilt tensor against the uploaded one. Throws a RangeError for tensors of different sizes. */
export function weightError({ name, weights, rebuilt, before }: ComparedTensor): WeightError {
  if (rebuilt.length !== weights.length || (before !== undefined && before.length !== weights.length))
    throw new RangeError(`${name} has ${weights.length} elements in one file and another number in another`);
  const error = distance(weights, rebuilt);
  const movement = before === undefined ? 0 : distance(weights, before);
  return {
    name,
    elementCount: weights.length,
    relativeError: error === 0 ? 0 : error / distance(weights, undefined),
    collapsed: isConstant(rebuilt) && !isConstant(weights),
    errorToMovement: movement === 0 ? undefined : error / movement,
    movementLost: before === undefined || movement === 0 ? undefined : movementLost([{ weights, before, rebuilt }]),
  };
}

/** The share over all tensors together. */
export function totalMovementLost(tensors: readonly ComparedTensor[]): number {
  return movementLost(
    tensors.flatMap(({ weights, rebuilt, before }) => (before === undefined ? [] : [{ weights, rebuilt, before }])),
  );
}

/** Euclidean distance; to zero if `to` is undefined. */
function distance(from: Float32Array, to: Float32Array | undefined): number {
  let squares = 0;
  for (let i = 0; i < from.length; i += 1) {
    const difference = from[i]! - (to === undefined ? 0 : to[i]!);
    squares += difference * difference;
  }
  return Math.sqrt(squares);
}

function isConstant(values: Float32Array): boolean {
  return values.every((value) => value === values[0]);
}
