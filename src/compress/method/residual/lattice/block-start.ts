import type { LatticeSegment } from '../../../../native/core.ts';
import type { BlockPlace } from '../../../../package/blocks/block-plan.ts';
import { inOwnUnits, latticeSegments, type ResidualFile } from '../../../../package/blocks/residual-block.ts';
import type { Ancestor } from '../../../ancestor/ancestor.ts';

/** Parameters of a block where it starts. */
export interface BlockStart {
  readonly segments: readonly LatticeSegment[];
  /** Whether that is at the origins of its tensors: there is neither a state nor exact elements of the ancestor. */
  readonly isFirst: boolean;
}

/** Reads nothing. */
export function blockStart(
  ancestor: Pick<Ancestor, 'isGathered' | 'hasBlock'> | undefined,
  file: ResidualFile,
  { file: number, index, block }: BlockPlace,
): BlockStart {
  const segments = latticeSegments(file, block);
  const isPlaced = ancestor?.isGathered(number, index) === true;
  const hasState = !isPlaced && ancestor?.hasBlock(number, index) === true;
  return { segments: hasState ? segments : inOwnUnits(segments), isFirst: !isPlaced && !hasState };
}
