import { latticeValueMax } from '../../../../native/core.ts';
import { originMax, type ResidualTensor } from '../../../../package/residual-tensor.ts';
import type { Ancestor } from '../../../ancestor/ancestor.ts';
import { previousState } from './previous-state.ts';
import { residualBlocks } from '../residual-blocks.ts';
import type { CodingPlan } from '../../../plan/plan-codings.ts';

/**
 * Whether the ancestor's states and origins fit the lattice in the units of `records`: a weight that was large there
 * may not, however small it is now. Reads the ancestor's blocks where a tensor's unit becomes finer.
 */
export async function ancestorInLatticeRange(
  {
    plan,
    ancestor,
    signal,
  }: { readonly plan: CodingPlan; readonly ancestor: Ancestor | undefined; readonly signal?: AbortSignal },
  records: readonly ReadonlyMap<number, ResidualTensor>[],
): Promise<boolean> {
  if (records.some((file) => [...file.values()].some(({ origin }) => Math.abs(origin) > originMax))) return false;
  for (const { file, index, block } of residualBlocks(plan)) {
    const shifts = block.segments.map(({ tensor }) => records[file]!.get(tensor)!.shift);
    if (shifts.every((shift) => shift === 0)) continue;
    const state = await previousState(ancestor, { file, index }, signal);
    if (state === undefined) continue;
    let first = 0;
    for (const [s, { elementCount }] of block.segments.entries()) {
      const valueMax = latticeValueMax >> shifts[s]!;
      if (state.values.subarray(first, first + elementCount).some((value) => Math.abs(value) > valueMax)) return false;
      first += elementCount;
    }
  }
  return true;
}
