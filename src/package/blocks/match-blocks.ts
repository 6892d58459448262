import type { PlannedBlock } from './block-plan.ts';
import { blockElementsMax } from '../../native/core.ts';
import { codingRuleOf } from '../codings/all-codings.ts';
import type { PackageCodebook } from '../package-index.ts';
import { namesakesIn } from './namesakes.ts';
import type { Namesakes } from '../tensor-place.ts';
import type { FilePlan } from './plan-file.ts';

/** A file's plan and the codebooks its level blocks refer to. */
export interface PlannedFile {
  readonly plan: FilePlan;
  readonly codebooks: readonly PackageCodebook[];
  /** The listed namesakes of its tensors in the ancestor. */
  readonly namesakes?: Namesakes | undefined;
}

/**
 * For each block of `file`, the number of the ancestor's block it is coded against, or -1 (docs/format.md, "Previous
 * blocks"). That is the block with the same coding (layer type and dtype of the codebook, dtype of residual tensors,
 * encoding of optimizer state, or element kind) and the same runs of the tensors' namesakes, in the ancestor's file of
 * the same path and content type. A rule of the format: level blocks use that block if it exists. `ancestor.number`:
 * that file's number.
 */
export function matchBlocks(ancestor: PlannedFile & { readonly number: number }, file: PlannedFile): Int32Array {
  const namesakeOf = namesakesIn(
    { layout: file.plan.layout, namesakes: file.namesakes },
    { layout: ancestor.plan.layout, file: ancestor.number },
  );
  return Int32Array.from(file.plan.blocks, (block) => {
    const first = block.segments[0]!;
    const tensor = namesakeOf(first.tensor);
    if (tensor === undefined || ancestor.plan.firstBlock[tensor]! < 0) return -1;
    const number = ancestor.plan.firstBlock[tensor]! + Math.floor(first.firstElement / blockElementsMax);
    const candidate = ancestor.plan.blocks[number];
    const same =
      candidate !== undefined &&
      sameCoding(candidate, ancestor, block, file) &&
      sameSegments(candidate, block, namesakeOf);
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

function sameSegments(
  there: PlannedBlock,
  block: PlannedBlock,
  namesakeOf: (tensor: number) => number | undefined,
): boolean {
  return (
    there.segments.length === block.segments.length &&
    there.segments.every((segment, i) => {
      const { tensor, firstElement, elementCount } = block.segments[i]!;
      return (
        segment.firstElement === firstElement &&
        segment.elementCount === elementCount &&
        segment.tensor === namesakeOf(tensor)
      );
    })
  );
}
