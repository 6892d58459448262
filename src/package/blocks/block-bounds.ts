import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { elementKindBytes } from '../../native/check/native-numbers.ts';
import { blockElementsMax } from '../../native/core.ts';
import type { PlannedBlock } from './block-plan.ts';
import { superStepWidthMax } from '../format-limits.ts';

/** Longest code of a token, in bits (docs/format-blocks.md). */
const codeLengthMaxBits = 24;

/** Mode, lengths and coder states of a residual block, in bytes. */
const residualHeadBytesMax = 256;
/** A symbol and its escape, in bytes, with room to spare. */
const residualElementBytesMax = 10;
/** Clusters of a segment of optimizer state, or what is expected of its first row. */
const stateSegmentBytesMax = 160;
/** A symbol, its escape, and what is expected of its row and its column, in bytes, with room to spare. */
const stateElementBytesMax = 20;
/** An escape as a varint. */
const escapeBytesMax = 5;

/**
 * Most bytes a block's payload can have: exact, one mode byte and the raw elements; residual and state, what their parts can come to; levels, a count, a word per element and a token of
 * the longest code per element (two tokens stand for at least two elements), padded to a byte.
 */
export function payloadBytesMax(block: PlannedBlock): number {
  if (block.coding.kind === 'exact') return 1 + block.elementCount * elementKindBytes[block.coding.elementKind];
  if (block.coding.kind === 'residual') return residualHeadBytesMax + residualElementBytesMax * block.elementCount;
  if (block.coding.kind === 'state') return residualHeadBytesMax + stateSegmentBytesMax * block.segments.length + stateElementBytesMax * block.elementCount;
  return 8 + 2 * block.elementCount + Math.ceil((block.elementCount * codeLengthMaxBits) / 8);
}

/** The same in a super-step, whose residual blocks have the escapes of all its checkpoints besides. */
export function superStepPayloadBytesMax(block: PlannedBlock): number {
  const most = payloadBytesMax(block);
  return block.coding.kind === 'residual' ? most + superStepWidthMax * escapeBytesMax * block.elementCount : most;
}

/** At least this many blocks hold the tensors; cheap to know before planning them one by one. */
export function blockCountMin(tensors: readonly Pick<TensorEntry, 'elementCount'>[]): number {
  return tensors.reduce((count, tensor) => (tensor.elementCount > blockElementsMax ? count + Math.ceil(tensor.elementCount / blockElementsMax) : count), 0);
}
