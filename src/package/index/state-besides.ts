import type { SafetensorsLayout } from '../../checkpoint/safetensors/safetensors-layout.ts';
import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';
import { corruptPackage } from '../corrupt-package.ts';
import type { TensorCoding } from '../package-index.ts';

/**
 * The numbers of the second moments that first moments lie beside, in the order of the tensors (docs/format.md, "State
 * tensors").
 */
export function writeBesides(writer: ByteWriter, codings: readonly TensorCoding[]): void {
  for (const coding of codings)
    if (coding.kind === 'state' && coding.form === 'firstMoment') writer.varint(coding.beside);
}

/** The codings with what `writeBesides` wrote. Throws `corrupt-package`. */
export function readBesides(
  reader: ByteReader,
  { tensors }: SafetensorsLayout,
  codings: readonly TensorCoding[],
): TensorCoding[] {
  return codings.map((coding, tensor) => {
    if (coding.kind !== 'state' || coding.form !== 'firstMoment') return coding;
    const beside = reader.varint(tensors.length - 1, 'the number of a tensor of second moments');
    if (!mayLieBeside({ tensors }, codings, { tensor, beside }))
      throw corruptPackage('first moments lie beside a tensor that cannot be their second moments');
    return { ...coding, beside };
  });
}

/**
 * Whether a tensor may be what the first moments of another are told by: as many F32 elements, which are known without
 * first moments.
 */
export function mayLieBeside(
  { tensors }: Pick<SafetensorsLayout, 'tensors'>,
  codings: readonly TensorCoding[],
  { tensor, beside }: { readonly tensor: number; readonly beside: number },
): boolean {
  const [here, there, coding] = [tensors[tensor]!, tensors[beside], codings[beside]];
  if (there?.dtype !== 'F32' || there.elementCount !== here.elementCount) return false;
  return coding?.kind === 'exact' || (coding?.kind === 'state' && coding.form !== 'firstMoment');
}
