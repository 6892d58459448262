import type { SafetensorsLayout } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { blockElementsMax } from '../../native/core.ts';
import { planBlocks, type BlockSegment, type PlannedBlock } from './block-plan.ts';
import type { BlobContent, ExternalContent, SafetensorsContent, TensorCoding, TensorPlace } from '../package-index.ts';

/** The blocks of a file, and the place of each tensor in them. */
export interface FilePlan {
  readonly layout: SafetensorsLayout;
  readonly blocks: readonly PlannedBlock[];
  /**
   * By tensor: the block with its first element, and that element's place in the block. A tensor larger than a block
   * continues alone in the following blocks. -1 for an empty tensor, and for a copy or an inherited tensor until it has
   * a place (`placeCopies`).
   */
  readonly firstBlock: Int32Array;
  readonly firstElement: Int32Array;
  /** Blocks decoded for copies and inherited tensors; their numbers follow those of `blocks`. */
  readonly copied: readonly (CopiedBlock | InheritedBlock)[];
}

/**
 * A block of a file of the package that another tensor's elements are copied from. The number refers to the file's own
 * `blocks`.
 */
export interface CopiedBlock {
  readonly file: number;
  readonly block: number;
  /** Whether the elements are needed as F32, whatever the block's dtype. */
  readonly widened?: true;
}

/** Elements of a tensor of the ancestor, as many as one block has. */
export interface InheritedBlock {
  readonly inherited: TensorPlace;
  readonly firstElement: number;
  readonly elementCount: number;
}

/** Elements of one planned block. */
export interface BlockPart {
  readonly block: number;
  readonly firstElement: number;
  readonly elementCount: number;
}

/**
 * The place of a run of elements, given as a segment of another tensor with as many elements. Both tensors are cut
 * alike, so the run is in one block.
 */
export function partOf(
  { firstBlock, firstElement }: FilePlan,
  tensor: number,
  segment: Omit<BlockSegment, 'tensor'>,
): BlockPart {
  const inTensor = Math.floor(segment.firstElement / blockElementsMax);
  return {
    block: firstBlock[tensor]! + inTensor,
    firstElement: inTensor === 0 ? firstElement[tensor]! : 0,
    elementCount: segment.elementCount,
  };
}

/** Plans the blocks of a safetensors file with these codings. */
export function planTensors(layout: SafetensorsLayout, codings: readonly TensorCoding[]): FilePlan {
  const blocks = planBlocks(layout.tensors, codings);
  const firstBlock = new Int32Array(layout.tensors.length).fill(-1);
  const firstElement = new Int32Array(layout.tensors.length).fill(-1);
  blocks.forEach((block, number) => {
    let element = 0;
    for (const segment of block.segments) {
      if (segment.firstElement === 0) {
        firstBlock[segment.tensor] = number;
        firstElement[segment.tensor] = element;
      }
      element += segment.elementCount;
    }
  });
  return { layout, blocks, firstBlock, firstElement, copied: [] };
}

/** Plans any other file: one nameless tensor of bytes without a header, so `blockElementsMax` bytes a block. */
export function planBlob(sizeBytes: number): FilePlan {
  const bytes = {
    name: '',
    dtype: 'U8',
    shape: [sizeBytes],
    elementCount: sizeBytes,
    startBytes: 0,
    endBytes: sizeBytes,
  } as const;
  return planTensors({ headerBytes: new Uint8Array(0), sizeBytes, tensors: [bytes], metadata: {} }, [
    { kind: 'exact', layerType: 'buffer' },
  ]);
}

/** A file's content without its block entries. */
export type ContentToPlan = Omit<SafetensorsContent, 'blocks'> | Omit<BlobContent, 'blocks'> | ExternalContent;

/** Undefined for an external file: its bytes are not in the package. */
export function planFile(file: { readonly sizeBytes: number; readonly content: ContentToPlan }): FilePlan | undefined {
  switch (file.content.type) {
    case 'safetensors':
      return planTensors(file.content.layout, file.content.codings);
    case 'blob':
      return planBlob(file.sizeBytes);
    case 'external':
      return undefined;
  }
}
