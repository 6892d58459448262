import type { BlockPlace } from '../../../package/blocks/block-plan.ts';
import { quantizedBlocks, type CodingPlan } from '../../plan/plan-codings.ts';

/** Every residual block of a plan with its place. */
export function* residualBlocks(plan: CodingPlan): Generator<BlockPlace> {
  for (const place of quantizedBlocks(plan)) if (place.block.coding.kind === 'residual') yield place;
}
