import type { BlockPlace } from '../../../package/blocks/block-plan.ts';
import { quantizedBlocks, type CodingPlan } from '../../plan/plan-codings.ts';

/** Place of a block of levels in the new checkpoint, and the number of its codebook. */
export interface LevelBlockPlace extends BlockPlace {
  readonly group: number;
}

/** Every block of levels with its place and the number of its codebook. */
export function* levelBlocks(plan: CodingPlan): Generator<LevelBlockPlace> {
  for (const place of quantizedBlocks(plan)) {
    const { coding } = place.block;
    if (coding.kind === 'levels') yield { ...place, group: coding.codebook };
  }
}
