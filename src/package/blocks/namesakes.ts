import type { SafetensorsLayout, TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { corruptPackage } from '../corrupt-package.ts';
import type { FormatVersion } from '../format-version.ts';
import type { PackageIndex, SafetensorsContent } from '../package-index.ts';
import type { Namesakes } from '../tensor-place.ts';

/** First version whose files may list namesakes, and whose gathered blocks accept ones with another number of rows. */
export const namesakesVersionMin: FormatVersion = 10;

/** Whether the files of a package list namesakes, if only none. */
export function listsNamesakes({ formatVersion, kind }: Pick<PackageIndex, 'formatVersion' | 'kind'>): boolean {
  return formatVersion >= namesakesVersionMin && kind === 'delta';
}

/** The tensors of a safetensors file, and those of the ancestor that they were renamed from. */
export interface NamedTensors {
  readonly layout: Pick<SafetensorsLayout, 'tensors'>;
  readonly namesakes?: Namesakes | undefined;
}

/**
 * For the tensors of a file, by number, their namesakes among the tensors of one of the ancestor's files: the listed
 * one, or else that of the same name. Undefined for a tensor whose namesake is not in that file.
 */
export function namesakesIn(
  { layout, namesakes }: NamedTensors,
  there: { readonly layout: Pick<SafetensorsLayout, 'tensors'>; readonly file: number },
): (tensor: number) => number | undefined {
  const byName = new Map(there.layout.tensors.map(({ name }, number) => [name, number]));
  return (tensor) => {
    const listed = namesakes?.get(tensor);
    if (listed !== undefined) return listed.file === there.file ? listed.tensor : undefined;
    return byName.get(layout.tensors[tensor]!.name);
  };
}

type TensorType = Pick<TensorEntry, 'dtype' | 'shape'>;

/** Whether two tensors have one dtype, and the same shape but for the number of rows, the first dimension. */
export function haveSameRows(a: TensorType, b: TensorType): boolean {
  return (
    a.dtype === b.dtype &&
    a.shape.length === b.shape.length &&
    a.shape.every((size, dimension) => dimension === 0 || size === b.shape[dimension])
  );
}

/**
 * A key that two tensors share if one may be found to be the other with more rows: dtype and shape of rows. Of a vector
 * it has the length, because there are many vectors of any dtype.
 */
export function rowsKey({ dtype, shape }: TensorType): string {
  return `${dtype} ${shape.length} ${(shape.length < 2 ? shape : shape.slice(1)).join(',')}`;
}

/** Whether an exact block may be coded against a namesake: it has as many elements, or rows of the same shape. */
export function canStandFor(there: TensorEntry, tensor: TensorEntry): boolean {
  return (there.dtype === tensor.dtype && there.elementCount === tensor.elementCount) || haveSameRows(there, tensor);
}

/** Throws `corrupt-package` unless every listed namesake is a tensor of the ancestor that can stand for its tensor. */
export function checkNamesakes(
  { layout, namesakes }: Pick<SafetensorsContent, 'layout' | 'namesakes'>,
  ancestor: PackageIndex | undefined,
): void {
  for (const [tensor, place] of namesakes ?? []) {
    const holder = ancestor?.files[place.file]?.content;
    const there = holder?.type === 'safetensors' ? holder.layout.tensors[place.tensor] : undefined;
    if (there === undefined || !canStandFor(there, layout.tensors[tensor]!))
      throw corruptPackage('a listed namesake is none of the ancestor, or of another dtype or shape there');
  }
}
