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
 * Throws `corrupt-package` unless every copy that is not widened of file number `earlier.length` is of a tensor before
 * it (of an earlier file, or earlier in its own) that has blocks of its own, and its dtype and number of elements, at
 * least one: copies then never form a chain or a circle.
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
 * Throws `corrupt-package` unless every kept tensor is one of the ancestor of the same dtype and number of elements, at
 * least one.
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
 * The plan of a file with the places of its copied and kept tensors: they get block numbers behind the file's own,
 * which `copied` maps to what is decoded for them. `planOf`: the plan of another file of the package, without its
 * copies. The plan itself where there are none.
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
    // Neighbours that were neighbours need their block only once.
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

/** How the bytes of a tensor are coded in its package: as its original's where it is a copy. */
export function codingBehind(
  coding: TensorCoding,
  codingsOf: (file: number) => readonly TensorCoding[],
): Exclude<TensorCoding, CopyCoding> {
  const behind = coding.kind === 'copy' ? codingsOf(coding.file)[coding.tensor]! : coding;
  if (behind.kind === 'copy') throw new TypeError('a copy of a copy');
  return behind;
}
