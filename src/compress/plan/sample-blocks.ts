import type { PlannedBlock } from '../../package/blocks/block-plan.ts';

/** Elements sampled for one estimate; a smaller model is counted whole. */
export const sampleElementsMax = 2 * 1024 * 1024;

/**
 * Consecutive multiples of this over 2^32 (the golden ratio) are spread evenly, whatever period the layers of a model
 * have (Knuth, TAOCP 6.4).
 */
const goldenStep = 0x9e3779b1;

/**
 * An evenly spread sample of blocks that depends on their numbers only. The blocks are cut into runs of equal length,
 * and one block of each run is taken, so that the sample has about {@link sampleElementsMax} elements. All blocks if
 * there are no more. The sample's bytes are to be multiplied by `scale`.
 */
export function sampleBlocks<T extends { readonly block: PlannedBlock }>(
  all: readonly T[],
): { readonly blocks: readonly T[]; readonly scale: number } {
  const elements = elementsOf(all);
  const stride = Math.max(1, Math.ceil(elements / sampleElementsMax));
  if (stride === 1) return { blocks: all, scale: 1 };
  const blocks: T[] = [];
  for (let run = 0; run * stride < all.length; run += 1) {
    const length = Math.min(stride, all.length - run * stride);
    blocks.push(all[run * stride + Math.floor(((Math.imul(run, goldenStep) >>> 0) / 2 ** 32) * length)]!);
  }
  return { blocks, scale: elements / elementsOf(blocks) };
}

function elementsOf(blocks: readonly { readonly block: PlannedBlock }[]): number {
  return blocks.reduce((total, { block }) => total + block.elementCount, 0);
}
