import type { AssignedLevels, NativeCore } from '../native/core.ts';
import type { PlannedBlock } from '../package/block-plan.ts';
import type { ModelSource } from './model-source.ts';
import type { GroupQuantizer, Quantizer } from './quantizer.ts';

/** The levels of one quantized block. */
export async function quantizeBlock(source: ModelSource, quantizer: Quantizer, groups: readonly GroupQuantizer[], at: { file: number; block: PlannedBlock; group: number }, core: NativeCore, signal?: AbortSignal): Promise<AssignedLevels> {
  const pair = quantizer.usable(await source.readWeights(at.file, at.block, signal));
  const { partition, map } = groups[at.group]!;
  return core.assignLevels(pair, partition, map, signal);
}
