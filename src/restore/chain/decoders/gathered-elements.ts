import { gatheredBlocksMax } from '../../../package/format-limits.ts';
import { countBlocks, readParts } from '../read-parts.ts';
import type { WalkStep } from './block-decoder.ts';

/**
 * The ancestor's elements for a block without a previous block, in the dtype of its tensors (docs/format.md, "Gathered
 * blocks"). Undefined if one of its tensors has none there, or if they are in more than `gatheredBlocksMax` blocks.
 * Rejects as BlockDecoder does.
 */
export async function gatheredElements(
  step: WalkStep,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const located = step.gathered()?.map((part) => ({ ...step.located(part, 1), zeroBytes: part.zeroBytes }));
  if (located === undefined || countBlocks(located) > gatheredBlocksMax) return undefined;
  return readParts(located, signal);
}
