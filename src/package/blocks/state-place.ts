import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import type { StateSegment } from '../../native/core.ts';
import type { PlannedBlock } from './block-plan.ts';
import { corruptPackage } from '../corrupt-package.ts';
import type { TensorCoding } from '../package-index.ts';
import { partOf, type BlockPart, type FilePlan } from './plan-file.ts';

/** The segments of a block of optimizer state in the core's form (docs/format.md, "State tensors"). */
export function stateSegments({ layout }: Pick<FilePlan, 'layout'>, block: PlannedBlock): StateSegment[] {
  return block.segments.map(({ tensor, firstElement, elementCount }) => {
    const columns = columnsOf(layout.tensors[tensor]!);
    return { elementCount, columns, column: columns === 0 ? 0 : firstElement % columns };
  });
}

/**
 * The places of the second moments for a block of first moments: a part for each segment. Throws `corrupt-package` if a
 * tensor names none.
 */
export function secondMomentParts(plan: FilePlan, codings: readonly TensorCoding[], block: PlannedBlock): BlockPart[] {
  return block.segments.map((segment) => {
    const coding = codings[segment.tensor];
    if (coding?.kind !== 'state' || coding.encoding !== 'firstMoment')
      throw corruptPackage('a block of first moments has a tensor of another kind');
    return partOf(plan, coding.secondMoments, segment);
  });
}

/** Length of a tensor's rows; its first axis longer than one is their number. 0 for a vector. */
function columnsOf({ shape, elementCount }: TensorEntry): number {
  const first = shape.find((length) => length > 1);
  return first === undefined || first === elementCount ? 0 : elementCount / first;
}
