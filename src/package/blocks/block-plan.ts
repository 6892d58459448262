import { blockElementsMax, type ElementKind } from '../../native/core.ts';
import type { Dtype, QuantizableDtype } from '../../checkpoint/dtype.ts';
import type { StateForm } from '../../checkpoint/options/state-form.ts';
import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { isBlockless, type BlocklessCoding, type TensorCoding } from '../package-index.ts';

/** A run of one tensor's elements inside a block. */
export interface BlockSegment {
  /** Position of the tensor in the layout. */
  readonly tensor: number;
  readonly firstElement: number;
  readonly elementCount: number;
}

export type BlockCoding =
  | { readonly kind: 'levels'; readonly codebook: number }
  | { readonly kind: 'residual'; readonly dtype: QuantizableDtype }
  | { readonly kind: 'state'; readonly form: StateForm }
  | { readonly kind: 'exact'; readonly elementKind: ElementKind };

/** The unit of coding, verification and random access. All segments share one coding, so one element size; level and residual blocks one dtype. */
export interface PlannedBlock {
  readonly coding: BlockCoding;
  readonly segments: readonly BlockSegment[];
  readonly elementCount: number;
}

/** A block's place in a checkpoint. */
export interface BlockPlace {
  readonly file: number;
  readonly index: number;
  readonly block: PlannedBlock;
}

/** How exact tensors of a dtype are cut into planes. */
export const elementKindOfDtype: Readonly<Record<Dtype, ElementKind>> = {
  BOOL: 'bytes',
  U8: 'bytes',
  I8: 'bytes',
  F8_E5M2: 'bytes',
  F8_E4M3: 'bytes',
  F8_E8M0: 'bytes',
  F8_E4M3FNUZ: 'bytes',
  F8_E5M2FNUZ: 'bytes',
  F6_E2M3: 'bytes',
  F6_E3M2: 'bytes',
  F4: 'bytes',
  I16: 'word16',
  U16: 'word16',
  F16: 'f16',
  BF16: 'bf16',
  I32: 'word32',
  U32: 'word32',
  F32: 'f32',
  I64: 'word64',
  U64: 'word64',
  F64: 'f64',
  C64: 'word64',
};

/**
 * Cuts tensors into blocks. Tensors of one coding (codebook, dtype of residual tensors, form of optimizer state, or exact element kind) fill blocks in offset order: a tensor larger than
 * `blockElementsMax` elements gets blocks of its own; smaller ones share until the next would not fit. Blocks are ordered by their first
 * tensor, then by element. Copies and kept tensors have none. A function of shapes, dtypes and codings only, so it agrees along a chain (DESIGN section 4).
 */
export function planBlocks(tensors: readonly TensorEntry[], codings: readonly TensorCoding[]): PlannedBlock[] {
  const blocks: PlannedBlock[] = [];
  const open = new Map<string, { at: number; segments: BlockSegment[]; elementCount: number; coding: PlannedBlock['coding'] }>();
  const close = (key: string): void => {
    const block = open.get(key);
    if (block === undefined) return;
    blocks[block.at] = { coding: block.coding, segments: block.segments, elementCount: block.elementCount };
    open.delete(key);
  };
  tensors.forEach((entry, tensor) => {
    const tensorCoding = codings[tensor]!;
    if (entry.elementCount === 0 || isBlockless(tensorCoding)) return;
    const coding = blockCoding(entry, tensorCoding);
    if (entry.elementCount > blockElementsMax) {
      for (let firstElement = 0; firstElement < entry.elementCount; firstElement += blockElementsMax) {
        const elementCount = Math.min(blockElementsMax, entry.elementCount - firstElement);
        blocks.push({ coding, segments: [{ tensor, firstElement, elementCount }], elementCount });
      }
      return;
    }
    const key = classOf(coding);
    const started = open.get(key);
    if (started !== undefined && started.elementCount + entry.elementCount > blockElementsMax) close(key);
    let block = open.get(key);
    if (block === undefined) {
      block = { at: blocks.length, segments: [], elementCount: 0, coding };
      open.set(key, block);
      blocks.push({ coding, segments: [], elementCount: 0 });
    }
    block.segments.push({ tensor, firstElement: 0, elementCount: entry.elementCount });
    block.elementCount += entry.elementCount;
  });
  for (const key of [...open.keys()]) close(key);
  return blocks;
}

function classOf(coding: BlockCoding): string {
  switch (coding.kind) {
    case 'levels':
      return `levels ${coding.codebook}`;
    case 'residual':
      return `residual ${coding.dtype}`;
    case 'state':
      return `state ${coding.form}`;
    case 'exact':
      return `exact ${coding.elementKind}`;
  }
}

function blockCoding(entry: TensorEntry, coding: Exclude<TensorCoding, BlocklessCoding>): BlockCoding {
  switch (coding.kind) {
    case 'levels':
      return coding;
    case 'residual':
      return { kind: 'residual', dtype: entry.dtype as QuantizableDtype };
    case 'state':
      return { kind: 'state', form: coding.form };
    case 'exact':
      return { kind: 'exact', elementKind: elementKindOfDtype[entry.dtype] };
  }
}
