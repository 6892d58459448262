import { dtypeBytes } from '../../../src/checkpoint/dtype.ts';
import type { NativeCore } from '../../../src/native/core.ts';
import type { PlannedBlock } from '../../../src/package/blocks/block-plan.ts';
import { elementKindOfDtype } from '../../../src/package/codings/exact-coding.ts';
import { encodeExactBlock } from '../../../src/package/blocks/encode-block.ts';
import { matchBlocks } from '../../../src/package/blocks/match-blocks.ts';
import { planTensors, type FilePlan } from '../../../src/package/blocks/plan-file.ts';
import type { ExactMethod } from '../exact-method.ts';
import type { WeightFile, WeightShape } from '../weight-file.ts';

/** Our name in tables. */
export const firnName = 'Firn';

/**
 * The product's exact blocks (docs/format-blocks.md, section 6), cut, matched and coded by the product's own code, one
 * payload per block, without the blocks' entries in the package index. All blocks of a file wait in the queue of the
 * core, which should have one thread, so that the overhead of calls from JavaScript overlaps with the work. Gathering
 * blocks from the file is not timed.
 */
export function firnBlocks(core: NativeCore): ExactMethod {
  return {
    name: firnName,
    encoder(current, previous) {
      const plan = planOf(current);
      const before = blocksBefore(current, plan, previous);
      const elementKind = elementKindOfDtype[current.dtype];
      const blocks = plan.blocks.map((block, i) => ({
        bytes: gather(current, block),
        previous: before[i],
        elementKind,
      }));
      return () => Promise.all(blocks.map((block) => encodeExactBlock(core, block)));
    },
    decoder(payloads, shape, previous) {
      const plan = planOf(shape);
      const before = blocksBefore(shape, plan, previous);
      const kind = elementKindOfDtype[shape.dtype];
      const requests = plan.blocks.map(({ elementCount }, i) => ({ kind, elementCount, previous: before[i] }));
      return {
        decode: () => Promise.all(requests.map((request, i) => core.exactDecode(payloads[i]!, request))),
        rebuild(parts) {
          const bytes = new Uint8Array(shape.layout.sizeBytes);
          plan.blocks.forEach((block, i) => scatter(parts[i]!, block, shape, bytes));
          return bytes;
        },
      };
    },
  };
}

function planOf({ layout }: WeightShape): FilePlan {
  return planTensors(
    layout,
    layout.tensors.map(() => ({ kind: 'exact', layerType: 'buffer' })),
  );
}

function blocksBefore(
  shape: WeightShape,
  plan: FilePlan,
  previous: WeightFile | undefined,
): (Uint8Array | undefined)[] {
  if (previous === undefined) return plan.blocks.map(() => undefined);
  const planBefore = planOf(previous);
  const matches = matchBlocks({ plan: planBefore, codebooks: [], number: 0 }, { plan, codebooks: [] });
  return Array.from(matches, (number) => (number < 0 ? undefined : gather(previous, planBefore.blocks[number]!)));
}

function gather({ bytes, layout, dtype }: WeightFile, block: PlannedBlock): Uint8Array {
  const gathered = new Uint8Array(block.elementCount * dtypeBytes[dtype]);
  let at = 0;
  for (const { tensor, firstElement, elementCount } of block.segments) {
    const from = layout.tensors[tensor]!.startBytes + firstElement * dtypeBytes[dtype];
    const length = elementCount * dtypeBytes[dtype];
    gathered.set(bytes.subarray(from, from + length), at);
    at += length;
  }
  return gathered;
}

function scatter(part: Uint8Array, block: PlannedBlock, { layout, dtype }: WeightShape, into: Uint8Array): void {
  let at = 0;
  for (const { tensor, firstElement, elementCount } of block.segments) {
    const length = elementCount * dtypeBytes[dtype];
    into.set(part.subarray(at, at + length), layout.tensors[tensor]!.startBytes + firstElement * dtypeBytes[dtype]);
    at += length;
  }
}
