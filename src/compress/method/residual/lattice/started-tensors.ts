import type { Ancestor } from '../../../ancestor/ancestor.ts';
import type { CodingPlan } from '../../../plan/plan-codings.ts';
import { residualBlocks } from '../residual-blocks.ts';

/**
 * By file: the tensors of a plan of which blocks start from exact elements of the ancestor, placed on the lattice
 * (docs/format-blocks.md, section 14).
 */
export function startedTensors(plan: CodingPlan, ancestor: Ancestor | undefined): readonly ReadonlySet<number>[] {
  const started = plan.files.map(() => new Set<number>());
  if (ancestor === undefined) return started;
  for (const { file, index, block } of residualBlocks(plan))
    if (ancestor.isGathered(file, index)) for (const { tensor } of block.segments) started[file]!.add(tensor);
  return started;
}
