import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { blockElementsMax } from '../../native/core.ts';
import { codingRuleOf } from '../codings/all-codings.ts';
import type { PlannedBlock } from './block-plan.ts';

/** Most bytes a block's payload can have. */
export function payloadBytesMax(block: PlannedBlock): number {
  return codingRuleOf(block.coding).payloadBytesMax(block);
}

/** The same for a merged package, in which shared blocks contain the payloads of several checkpoints. */
export function mergedPackagePayloadBytesMax(block: PlannedBlock): number {
  return codingRuleOf(block.coding).sharedPayloadBytesMax?.(block) ?? payloadBytesMax(block);
}

/** Lower bound of the tensors' number of blocks; cheap to compute before planning them one by one. */
export function blockCountMin(tensors: readonly Pick<TensorEntry, 'elementCount'>[]): number {
  return tensors.reduce(
    (count, tensor) =>
      tensor.elementCount > blockElementsMax ? count + Math.ceil(tensor.elementCount / blockElementsMax) : count,
    0,
  );
}
