import { blockElementsMax } from '../../native/core.ts';
import { corruptPackage } from '../corrupt-package.ts';
import {
  isBlockless,
  type CopyCoding,
  type PackageFile,
  type PackageIndex,
  type SafetensorsContent,
  type TensorCoding,
} from '../package-index.ts';
import type { CopiedBlock, FilePlan, InheritedBlock } from './plan-file.ts';

type TensorsOf = Pick<SafetensorsContent, 'layout' | 'codings'>;

/**
 * Throws `corrupt-package` unless every copy in file number `earlier.length`, widened ones aside, is valid: its
 * original comes before it (in an earlier file, or earlier in its own), has blocks of its own, and has the same dtype
 * and number of elements, at least one. So copies never form a chain or a circle.
 */
export function checkCopies(content: TensorsOf, earlier: readonly PackageFile[]): void {
  for (const [tensor, coding] of content.codings.entries()) {
    if (coding.kind !== 'copy' || coding.widened === true) continue;
    const isOwn = coding.file === earlier.length;
    if (coding.file > earlier.length || (isOwn && coding.tensor >= tensor))
      throw corruptPackage('a tensor is a copy of one that does not come before it');
    const holder = isOwn ? content : earlier[coding.file]!.content;
    if (!('layout' in holder)) throw corruptPackage('a tensor is a copy of one in a file without tensors');
    const [copy, original] = [content.layout.tensors[tensor]!, holder.layout.tensors[coding.tensor]];
    if (original === undefined || isBlockless(holder.codings[coding.tensor]!))
      throw corruptPackage('a tensor is a copy of one that has no blocks itself');
    if (original.dtype !== copy.dtype || original.elementCount !== copy.elementCount || copy.elementCount === 0)
      throw corruptPackage('a tensor is a copy of one of another dtype or size');
  }
}

/**
 * Throws `corrupt-package` unless every inherited tensor refers to a tensor of the ancestor with the same dtype and
 * number of elements, at least one.
 */
export function checkKept({ layout, codings }: TensorsOf, ancestor: PackageIndex | undefined): void {
  for (const [tensor, coding] of codings.entries()) {
    if (coding.kind !== 'inherited') continue;
    const holder = ancestor?.files[coding.file]?.content;
    const there = holder?.type === 'safetensors' ? holder.layout.tensors[coding.tensor] : undefined;
    const { dtype, elementCount } = layout.tensors[tensor]!;
    if (there?.dtype !== dtype || there.elementCount !== elementCount || elementCount === 0)
      throw corruptPackage('a kept tensor is none of the ancestor, or of another dtype or size there');
  }
}

/**
 * The plan of a file with places for its copied and inherited tensors: they get block numbers after the file's own, and
 * `copied` maps these to the blocks to decode. `planOf`: the plan of another file of the package, without its copies.
 * Returns the given plan if there are none.
 */
export function placeCopies(
  plan: FilePlan,
  { codings, file, planOf }: { codings: readonly TensorCoding[]; file: number; planOf: (file: number) => FilePlan },
): FilePlan {
  if (!codings.some(isBlockless)) return plan;
  const copied: (CopiedBlock | InheritedBlock)[] = [];
  const firstBlock = Int32Array.from(plan.firstBlock);
  const firstElement = Int32Array.from(plan.firstElement);
  for (const [tensor, coding] of codings.entries()) {
    const { elementCount } = plan.layout.tensors[tensor]!;
    if (coding.kind === 'inherited') {
      firstBlock[tensor] = plan.blocks.length + copied.length;
      firstElement[tensor] = 0;
      for (let first = 0; first < elementCount; first += blockElementsMax) {
        const kept = { file: coding.file, tensor: coding.tensor };
        copied.push({
          inherited: kept,
          firstElement: first,
          elementCount: Math.min(blockElementsMax, elementCount - first),
        });
      }
    }
    if (coding.kind !== 'copy') continue;
    const original = coding.file === file ? plan : planOf(coding.file);
    const first = {
      file: coding.file,
      block: original.firstBlock[coding.tensor]!,
      ...(coding.widened === true && { widened: true as const }),
    };
    const last = copied.at(-1);
    // Copies of neighbouring tensors in one block share that block.
    const isSame =
      last !== undefined &&
      'block' in last &&
      last.file === first.file &&
      last.block === first.block &&
      last.widened === first.widened;
    if (!isSame) {
      firstBlock[tensor] = plan.blocks.length + copied.length;
      for (let i = 0; i * blockElementsMax < elementCount; i++) copied.push({ ...first, block: first.block + i });
    } else firstBlock[tensor] = plan.blocks.length + copied.length - 1;
    firstElement[tensor] = original.firstElement[coding.tensor]!;
  }
  return { ...plan, copied, firstBlock, firstElement };
}

/** The coding of a tensor's bytes in its package: for a copy, its original's. */
export function codingBehind(
  coding: TensorCoding,
  codingsOf: (file: number) => readonly TensorCoding[],
): Exclude<TensorCoding, CopyCoding> {
  const behind = coding.kind === 'copy' ? codingsOf(coding.file)[coding.tensor]! : coding;
  if (behind.kind === 'copy') throw new TypeError('a copy of a copy');
  return behind;
}
