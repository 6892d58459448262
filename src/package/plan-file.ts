import type { SafetensorsLayout } from '../checkpoint/safetensors-layout.ts';
import { planBlocks, type PlannedBlock } from './block-plan.ts';
import type { BlobContent, ExternalContent, SafetensorsContent, TensorCoding } from './package-index.ts';

/** The blocks of a file, and where each tensor lies in them. */
export interface FilePlan {
  readonly layout: SafetensorsLayout;
  readonly blocks: readonly PlannedBlock[];
  /**
   * By tensor: the block with its first element, and that element's place in the block. A larger tensor goes on in the blocks after it, alone. -1 for an empty tensor, and for a copy
   * until it has a place (`placeCopies`).
   */
  readonly firstBlock: Int32Array;
  readonly firstElement: Int32Array;
  /** Blocks decoded for copies: their numbers go on behind those of `blocks`. The block of that file has its number in the file's own `blocks`. */
  readonly copied: readonly CopiedBlock[];
}

/** A block of a file of the package that another tensor's elements are copied from. */
export interface CopiedBlock {
  readonly file: number;
  readonly block: number;
  /** Whether they are needed as F32, whatever the block's dtype is. */
  readonly widened?: true;
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
  const bytes = { name: '', dtype: 'U8', shape: [sizeBytes], elementCount: sizeBytes, startBytes: 0, endBytes: sizeBytes } as const;
  return planTensors({ headerBytes: new Uint8Array(0), sizeBytes, tensors: [bytes], metadata: {} }, [{ kind: 'exact', layerType: 'buffer' }]);
}

/** A file's content without its block entries. */
export type ContentToPlan = Omit<SafetensorsContent, 'blocks'> | Omit<BlobContent, 'blocks'> | ExternalContent;

/** Undefined for an external file, whose bytes are not in the package. */
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
