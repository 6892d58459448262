import type { BlockSegment, PlannedBlock } from './block-plan.ts';
import { blockElementsMax } from '../../native/core.ts';
import { codingRuleOf } from '../codings/all-codings.ts';
import type { PackageCodebook } from '../package-index.ts';
import type { FilePlan } from './plan-file.ts';

/** A file's plan and the codebooks its level blocks refer to. */
export interface PlannedFile {
  readonly plan: FilePlan;
  readonly codebooks: readonly PackageCodebook[];
}

/**
 * For each block of `file`, the number of the ancestor's block it is coded against, or -1 (docs/format.md, "Previous
 * blocks"). That is the block with the same coding (layer type and dtype of the codebook, dtype of residual tensors,
 * form of optimizer state, or element kind) and the same runs of equally named tensors, in the ancestor's file of the
 * same path and content type. A rule of the format: level blocks use that block if it exists.
 */
export function matchBlocks(ancestor: PlannedFile, file: PlannedFile): Int32Array {
  const tensorThere = new Map(ancestor.plan.layout.tensors.map((tensor, number) => [tensor.name, number]));
  return Int32Array.from(file.plan.blocks, (block) => {
    const first = block.segments[0]!;
    const tensor = tensorThere.get(file.plan.layout.tensors[first.tensor]!.name);
    if (tensor === undefined || ancestor.plan.firstBlock[tensor]! < 0) return -1;
    const number = ancestor.plan.firstBlock[tensor]! + Math.floor(first.firstElement / blockElementsMax);
    const candidate = ancestor.plan.blocks[number];
    const same =
      candidate !== undefined &&
      sameCoding(candidate, ancestor, block, file) &&
      sameSegments(candidate, ancestor, block, file);
    return same ? number : -1;
  });
}

/**
 * The modulus of a level block's differences: the larger level count of its codebook and of the matched block's
 * codebook in the ancestor. `previous` is that codebook, or undefined for a block without one.
 */
export function levelModulus(codebook: PackageCodebook, previous: PackageCodebook | undefined): number {
  return Math.max(codebook.levelCount, previous?.levelCount ?? 0);
}

function sameCoding(a: PlannedBlock, fileA: PlannedFile, b: PlannedBlock, fileB: PlannedFile): boolean {
  if (a.coding.kind !== b.coding.kind) return false;
  return codingRuleOf(a.coding).matches(
    { coding: a.coding, codebooks: fileA.codebooks },
    { coding: b.coding, codebooks: fileB.codebooks },
  );
}

function sameSegments(a: PlannedBlock, fileA: PlannedFile, b: PlannedBlock, fileB: PlannedFile): boolean {
  const name = (file: PlannedFile, segment: BlockSegment): string => file.plan.layout.tensors[segment.tensor]!.name;
  return (
    a.segments.length === b.segments.length &&
    a.segments.every((segment, i) => {
      const other = b.segments[i]!;
      return (
        segment.firstElement === other.firstElement &&
        segment.elementCount === other.elementCount &&
        name(fileA, segment) === name(fileB, other)
      );
    })
  );
}
