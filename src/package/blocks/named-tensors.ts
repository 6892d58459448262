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
 * Throws `corrupt-package` unless every master and every widened copy of the files names a tensor that its elements can
 * be told by: of as many elements, at least one, and known without the other. Masters are F32 beside exact tensors of
 * F16 or BF16; widened copies are F32, of tensors of F32, F16 or BF16 that have blocks of their own.
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

/** What lies beside one run of a block's elements: nothing, or a part of a block of another file of the package. */
export interface MasterPart extends Pick<MasterPlace['segments'][number], 'dtype'> {
  readonly elementCount: number;
  readonly reference?: { readonly file: number } & BlockPart;
}

/**
 * For each segment of an exact block of F32 elements what lies beside it. `planOf`: the plan of a file of the package;
 * undefined for one without blocks. Throws `corrupt-package`.
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
    if (plan === undefined || !isHalf(dtype)) throw corruptPackage('a master lies beside a tensor that is not there');
    return { elementCount, dtype, reference: { file, ...partOf(plan, there, { firstElement, elementCount }) } };
  });
}
