import { countElements } from '../../../checkpoint/count-elements.ts';
import { isFloatDtype } from '../../onnx/onnx-dtype.ts';
import type { CheckpointTensor } from '../../weight-binding.ts';

/** A floating tensor of a checkpoint with its element count, by which it is looked up. */
export interface SizedTensor extends CheckpointTensor {
  readonly elementCount: number;
}

/** The floating tensors of more than one element, by element count. */
export function byElementCount(tensors: readonly CheckpointTensor[]): ReadonlyMap<number, readonly SizedTensor[]> {
  const groups = new Map<number, SizedTensor[]>();
  for (const tensor of tensors) {
    if (!isFloatDtype(tensor.dtype)) continue;
    const elementCount = countElements(tensor.shape);
    const group = groups.get(elementCount);
    if (group === undefined) groups.set(elementCount, [{ ...tensor, elementCount }]);
    else group.push({ ...tensor, elementCount });
  }
  return groups;
}

/** A name without its last `segments`; undefined if it has no more. */
export function prefixOf(name: string, segments: number): string | undefined {
  const parts = name.split('.');
  return parts.length > segments ? parts.slice(0, -segments).join('.') : undefined;
}
