import { blockElementsMax } from '../../native/core.ts';
import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { codingRuleOf, type BlockCoding } from '../codings/all-codings.ts';
import { isBlockless, type TensorCoding } from '../package-index.ts';

export type { BlockCoding } from '../codings/all-codings.ts';

/** A run of one tensor's elements inside a block. */
export interface BlockSegment {
  /** Position of the tensor in the layout. */
  readonly tensor: number;
  readonly firstElement: number;
  readonly elementCount: number;
}

/**
 * The unit of coding, verification and random access. All segments share one coding, so one element size; level and
 * residual blocks also share one dtype.
 */
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

/**
 * Cuts tensors into blocks. Tensors of one coding and class (codebook, dtype of residual tensors, encoding of optimizer
 * state, or exact element kind) fill blocks in offset order: a tensor larger than `blockElementsMax` elements gets
 * blocks of its own; smaller ones share until the next would not fit. Blocks are ordered by their first tensor, then by
 * element. Copies and inherited tensors have none. A function of shapes, dtypes and codings only, so it agrees along a
 * chain (DESIGN section 4).
 */
export function planBlocks(tensors: readonly TensorEntry[], codings: readonly TensorCoding[]): PlannedBlock[] {
  const blocks: PlannedBlock[] = [];
  const open = new Map<
    string,
    { at: number; segments: BlockSegment[]; elementCount: number; coding: PlannedBlock['coding'] }
  >();
  const close = (key: string): void => {
    const block = open.get(key);
    if (block === undefined) return;
    blocks[block.at] = { coding: block.coding, segments: block.segments, elementCount: block.elementCount };
    open.delete(key);
  };
  tensors.forEach((entry, tensor) => {
    const tensorCoding = codings[tensor]!;
    if (entry.elementCount === 0 || isBlockless(tensorCoding)) return;
    const rule = codingRuleOf(tensorCoding);
    const coding = rule.blockOf(entry, tensorCoding);
    if (entry.elementCount > blockElementsMax) {
      for (let firstElement = 0; firstElement < entry.elementCount; firstElement += blockElementsMax) {
        const elementCount = Math.min(blockElementsMax, entry.elementCount - firstElement);
        blocks.push({ coding, segments: [{ tensor, firstElement, elementCount }], elementCount });
      }
      return;
    }
    const key = `${coding.kind} ${rule.classOf(coding)}`;
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
