import type { SafetensorsLayout } from '../../checkpoint/safetensors/safetensors-layout.ts';
import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';
import { corruptPackage } from '../corrupt-package.ts';
import type { TensorCoding } from '../package-index.ts';

/**
 * Writes the numbers of the tensors of second moments that scale first moments, in the order of the tensors
 * (docs/format.md, "State tensors").
 */
export function writeSecondMoments(writer: ByteWriter, codings: readonly TensorCoding[]): void {
  for (const coding of codings)
    if (coding.kind === 'state' && coding.encoding === 'firstMoment') writer.varint(coding.secondMoments);
}

/** The codings, completed with the output of `writeSecondMoments`. Throws `corrupt-package`. */
export function readSecondMoments(
  reader: ByteReader,
  { tensors }: SafetensorsLayout,
  codings: readonly TensorCoding[],
): TensorCoding[] {
  return codings.map((coding, tensor) => {
    if (coding.kind !== 'state' || coding.encoding !== 'firstMoment') return coding;
    const secondMoments = reader.varint(tensors.length - 1, 'the number of a tensor of second moments');
    if (!mayBeSecondMoments({ tensors }, codings, { tensor, secondMoments }))
      throw corruptPackage('the reference tensor of first moments cannot be their second moments');
    return { ...coding, secondMoments };
  });
}

/**
 * Whether a tensor can be the second moments of another tensor's first moments: it has as many F32 elements, and
 * decoding it needs no first moments.
 */
export function mayBeSecondMoments(
  { tensors }: Pick<SafetensorsLayout, 'tensors'>,
  codings: readonly TensorCoding[],
  { tensor, secondMoments }: { readonly tensor: number; readonly secondMoments: number },
): boolean {
  const [here, there, coding] = [tensors[tensor]!, tensors[secondMoments], codings[secondMoments]];
  if (there?.dtype !== 'F32' || there.elementCount !== here.elementCount) return false;
  return coding?.kind === 'exact' || (coding?.kind === 'state' && coding.encoding !== 'firstMoment');
}
