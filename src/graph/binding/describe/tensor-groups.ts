import { countElements } from '../../../checkpoint/count-elements.ts';
import { isFloatDtype } from '../../onnx/onnx-dtype.ts';
import type { CheckpointTensor } from '../../weight-binding.ts';

/** A floating tensor of a checkpoint with what it is looked up by. */
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

/** What a name starts with, without its last `segments`; undefined where it has no more. */
export function prefixOf(name: string, segments: number): string | undefined {
  const parts = name.split('.');
  return parts.length > segments ? parts.slice(0, -segments).join('.') : undefined;
}
