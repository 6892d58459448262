import { blockElementsMax } from '../native/core.ts';
import { corruptPackage } from './corrupt-package.ts';
import type { CopyCoding, PackageFile, SafetensorsContent, TensorCoding } from './package-index.ts';
import type { CopiedBlock, FilePlan } from './plan-file.ts';

type TensorsOf = Pick<SafetensorsContent, 'layout' | 'codings'>;

/**
 * Throws `corrupt-package` unless every copy that is not widened of file number `earlier.length` is of a tensor before it (of an earlier file, or earlier in its own) that is no copy itself and has its dtype and number of
 * elements, at least one: copies then never form a chain or a circle.
 */
export function checkCopies(content: TensorsOf, earlier: readonly PackageFile[]): void {
  for (const [tensor, coding] of content.codings.entries()) {
    if (coding.kind !== 'copy' || coding.widened === true) continue;
    const isOwn = coding.file === earlier.length;
    if (coding.file > earlier.length || (isOwn && coding.tensor >= tensor)) throw corruptPackage('a tensor is a copy of one that does not come before it');
    const holder = isOwn ? content : earlier[coding.file]!.content;
    if (!('layout' in holder)) throw corruptPackage('a tensor is a copy of one in a file without tensors');
    const [copy, original] = [content.layout.tensors[tensor]!, holder.layout.tensors[coding.tensor]];
    if (original === undefined || holder.codings[coding.tensor]!.kind === 'copy') throw corruptPackage('a tensor is a copy of one that is none itself');
    if (original.dtype !== copy.dtype || original.elementCount !== copy.elementCount || copy.elementCount === 0)
      throw corruptPackage('a tensor is a copy of one of another dtype or size');
  }
}

/**
 * The plan of a file with the places of its copied tensors: they get block numbers behind the file's own, which `copied` maps to blocks that are decoded for them. `planOf`: the plan of another file of the
 * package, without its copies. The plan itself where there are none.
 */
export function placeCopies(
  plan: FilePlan,
  { codings, file, planOf }: { codings: readonly TensorCoding[]; file: number; planOf: (file: number) => FilePlan },
): FilePlan {
  if (codings.every(({ kind }) => kind !== 'copy')) return plan;
  const copied: CopiedBlock[] = [];
  const firstBlock = Int32Array.from(plan.firstBlock);
  const firstElement = Int32Array.from(plan.firstElement);
  for (const [tensor, coding] of codings.entries()) {
    if (coding.kind !== 'copy') continue;
    const original = coding.file === file ? plan : planOf(coding.file);
    const first = { file: coding.file, block: original.firstBlock[coding.tensor]!, ...(coding.widened === true && { widened: true as const }) };
    const last = copied.at(-1);
    // Neighbours that were neighbours need their block only once.
    if (last?.file !== first.file || last.block !== first.block || last.widened !== first.widened) {
      const { elementCount } = plan.layout.tensors[tensor]!;
      firstBlock[tensor] = plan.blocks.length + copied.length;
      for (let i = 0; i * blockElementsMax < elementCount; i++) copied.push({ ...first, block: first.block + i });
    } else firstBlock[tensor] = plan.blocks.length + copied.length - 1;
    firstElement[tensor] = original.firstElement[coding.tensor]!;
  }
  return { ...plan, copied, firstBlock, firstElement };
}

/** How the bytes of a tensor are coded: as its original's where it is a copy. */
export function codingBehind(coding: TensorCoding, codingsOf: (file: number) => readonly TensorCoding[]): Exclude<TensorCoding, CopyCoding> {
  const behind = coding.kind === 'copy' ? codingsOf(coding.file)[coding.tensor]! : coding;
  if (behind.kind === 'copy') throw new TypeError('a copy of a copy');
  return behind;
}
