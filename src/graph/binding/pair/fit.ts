import { FirnError } from '../../../checkpoint/firn-error.ts';
import { quoteName } from '../../../checkpoint/words/quote-name.ts';
import type { GraphInitializer } from '../../describe-graph.ts';
import { isTransposed, sameShape } from '../../match-by-content.ts';
import { isFloatDtype } from '../../onnx/onnx-dtype.ts';
import type { CheckpointTensor } from '../../weight-binding.ts';

/** How a tensor fits an initializer: directly, transposed (a matrix that is not square), or not at all. */
export function fitOf(initializer: GraphInitializer, tensor: CheckpointTensor): 'plain' | 'transposed' | undefined {
  if (!dtypesFit(initializer, tensor)) return undefined;
  if (sameShape(tensor.shape, initializer.shape)) return 'plain';
  return isTransposed(tensor.shape, initializer.shape) ? 'transposed' : undefined;
}

/** Whether a tensor fits an initializer in the given way. */
export function fits(initializer: GraphInitializer, tensor: CheckpointTensor, transpose: boolean): boolean {
  return (
    dtypesFit(initializer, tensor) &&
    (transpose ? isTransposed(tensor.shape, initializer.shape) : sameShape(tensor.shape, initializer.shape))
  );
}

/** Explains why a tensor does not fit the initializer that its name, or the tensor map, assigns it to. */
export function misfit(initializer: GraphInitializer, tensor: CheckpointTensor, transpose: boolean): FirnError {
  if (!dtypesFit(initializer, tensor)) {
    return new FirnError(
      'eval-input-mismatch',
      `Initializer ${quoteName(initializer.name)} is ${initializer.dtype ?? 'of an unsupported type'} in the ` +
        `graph, but tensor ${quoteName(tensor.name)} is ${tensor.dtype} in the checkpoint.`,
    );
  }
  const turned = transpose
    ? ' before transposing'
    : fitOf(initializer, tensor) === 'transposed'
      ? '; add "transpose": true to its entry in "tensorMap"'
      : '';
  return new FirnError(
    'eval-input-mismatch',
    `Initializer ${quoteName(initializer.name)} has shape [${initializer.shape.join(', ')}] in the graph, ` +
      `but tensor ${quoteName(tensor.name)} has [${tensor.shape.join(', ')}]${turned}.`,
  );
}

function dtypesFit(initializer: GraphInitializer, tensor: CheckpointTensor): boolean {
  return isFloatDtype(initializer.dtype) ? isFloatDtype(tensor.dtype) : initializer.dtype === tensor.dtype;
}
