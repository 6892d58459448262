import { isHalf, isQuantizable } from '../../checkpoint/dtype.ts';
import type { MasterPlace } from '../../native/core.ts';
import type { PlannedBlock } from './block-plan.ts';
import { corruptPackage } from '../corrupt-package.ts';
import {
  isBlockless,
  type PackageFile,
  type SafetensorsContent,
  type TensorCoding,
  type TensorPlace,
} from '../package-index.ts';
import { partOf, type BlockPart, type FilePlan } from './plan-file.ts';

/**
 * Throws `corrupt-package` unless every master and every widened copy refers to a valid tensor: it has as many
 * elements, at least one, and can be decoded without the master or copy. Masters are F32 and refer to exact tensors of
 * F16 or BF16. Widened copies are F32 and refer to tensors of F32, F16 or BF16 with blocks of their own.
 */
export function checkNamedTensors(files: readonly PackageFile[]): void {
  for (const { content } of files) {
    if (content.type !== 'safetensors') continue;
    for (const [tensor, coding] of content.codings.entries()) {
      const named =
        coding.kind === 'exact'
          ? coding.modelWeights
          : coding.kind === 'copy' && coding.widened === true
            ? coding
            : undefined;
      if (named !== undefined) checkNamed(content, tensor, files[named.file]?.content, named);
    }
  }
}

function checkNamed(
  { layout, codings }: SafetensorsContent,
  tensor: number,
  holder: PackageFile['content'] | undefined,
  named: TensorPlace,
): void {
  if (holder?.type !== 'safetensors') throw corruptPackage('a tensor names one in a file without tensors');
  const [here, there, coding] = [
    layout.tensors[tensor]!,
    holder.layout.tensors[named.tensor],
    holder.codings[named.tensor],
  ];
  if (
    there === undefined ||
    coding === undefined ||
    here.dtype !== 'F32' ||
    there.elementCount !== here.elementCount ||
    here.elementCount === 0
  )
    throw corruptPackage('a tensor names one of another size, or is not F32');
  const isMaster = codings[tensor]!.kind === 'exact';
  if (isMaster && (coding.kind !== 'exact' || !isHalf(there.dtype)))
    throw corruptPackage('a master names a tensor that is not exact, or of other elements than 16-bit floats');
  if (!isMaster && (isBlockless(coding) || !isQuantizable(there.dtype)))
    throw corruptPackage('a widened copy names a tensor without blocks, or of another dtype');
}

/** One run of a block's elements, with the part of another file's block that its masters are coded against, if any. */
export interface MasterPart extends Pick<MasterPlace['segments'][number], 'dtype'> {
  readonly elementCount: number;
  readonly reference?: { readonly file: number } & BlockPart;
}

/**
 * For each segment of an exact block of F32 elements, the part it is coded against. `planOf`: the plan of a file of the
 * package; undefined for one without blocks. Throws `corrupt-package`.
 */
export function masterParts(
  codings: readonly TensorCoding[],
  block: PlannedBlock,
  planOf: (file: number) => FilePlan | undefined,
): MasterPart[] {
  return block.segments.map(({ tensor, firstElement, elementCount }) => {
    const coding = codings[tensor];
    if (coding?.kind !== 'exact' || coding.modelWeights === undefined) return { elementCount, dtype: undefined };
    const { file, tensor: there } = coding.modelWeights;
    const plan = planOf(file);
    const dtype = plan?.layout.tensors[there]?.dtype;
    if (plan === undefined || !isHalf(dtype)) throw corruptPackage('the reference tensor of a master is not there');
    return { elementCount, dtype, reference: { file, ...partOf(plan, there, { firstElement, elementCount }) } };
  });
}
