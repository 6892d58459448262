import type { PlannedBlock } from './block-plan.ts';
import { dtypeBytes } from '../../checkpoint/dtype.ts';
import { gatheringsMax } from '../format-limits.ts';
import type { FormatVersion, PackageFile, TensorPlace } from '../package-index.ts';
import { canStandFor } from './namesakes.ts';
import type { Namesakes } from '../tensor-place.ts';
import { partOf, type BlockPart, type FilePlan } from './plan-file.ts';

/**
 * First version with exact blocks that may be coded against elements gathered from the ancestor; residual blocks start
 * from them since a later one (residual-block.ts).
 */
export const gatheringVersionMin: FormatVersion = 6;

/** Elements of a tensor of the ancestor, and the block of its file that contains them. */
export interface GatheredPart extends BlockPart, TensorPlace {
  /** Whether the tensor of the ancestor has as many elements. */
  readonly isWhole: boolean;
  /** Bytes of zeros that follow, in place of rows that it does not have. */
  readonly zeroBytes?: number;
}

/** The tensors of a package by name, for lookups from the files of a delta that builds on it. */
export class TensorNames {
  readonly #files: readonly PackageFile[];
  readonly #ofFiles = new Map<string, ReadonlyMap<string, TensorPlace>>();
  #ofAll: ReadonlyMap<string, TensorPlace> | undefined;

  constructor(files: readonly PackageFile[]) {
    this.#files = files;
  }

  /**
   * The tensor of a name: from the file of that path, or else from the first file that has one (docs/format.md,
   * "Gathered blocks").
   */
  find(path: string, name: string): TensorPlace | undefined {
    return this.#ofFile(path).get(name) ?? this.#all().get(name);
  }

  #ofFile(path: string): ReadonlyMap<string, TensorPlace> {
    const known =
      this.#ofFiles.get(path) ?? placesIn([...this.#files.entries()].filter(([, file]) => file.path === path));
    this.#ofFiles.set(path, known);
    return known;
  }

  #all(): ReadonlyMap<string, TensorPlace> {
    this.#ofAll ??= placesIn(this.#files.entries());
    return this.#ofAll;
  }
}

/** The first place of every name. */
function placesIn(files: Iterable<readonly [number, PackageFile]>): Map<string, TensorPlace> {
  const places = new Map<string, TensorPlace>();
  for (const [file, { content }] of files) {
    if (content.type !== 'safetensors') continue;
    for (const [tensor, { name }] of content.layout.tensors.entries())
      if (!places.has(name)) places.set(name, { file, tensor });
  }
  return places;
}

/** Whether blocks of a package of version 6 may be gathered, given the packages it builds on, directly or not. */
export function mayGather(ancestors: readonly { readonly formatVersion: FormatVersion }[]): boolean {
  return (
    ancestors.length > 0 &&
    ancestors.filter(({ formatVersion }) => formatVersion >= gatheringVersionMin).length < gatheringsMax
  );
}

export interface AncestorTensors {
  readonly names: TensorNames;
  /** The plan of a file of the ancestor, with the places of its copies and inherited tensors. */
  readonly planOf: (file: number) => FilePlan;
}

/** A file of a delta. */
export interface GatheringFile {
  readonly path: string;
  readonly plan: Pick<FilePlan, 'layout'>;
  readonly namesakes?: Namesakes | undefined;
  /** Whether a namesake may have another number of rows, as in packages of version 10. */
  readonly rowsMayDiffer: boolean;
}

/**
 * Gathers the elements for an exact or residual block of a safetensors file without a previous block. They are those of
 * the namesakes of its tensors in the ancestor, whatever their codings, a part for each segment; rows that a namesake
 * does not have are zeros. Undefined if one of its tensors has no namesake of the same dtype and shape, or none of the
 * segment's rows are there.
 */
export function gatherBlock(
  { segments }: PlannedBlock,
  { path, plan: { layout }, namesakes, rowsMayDiffer }: GatheringFile,
  { names, planOf }: AncestorTensors,
): GatheredPart[] | undefined {
  const parts: GatheredPart[] = [];
  for (const segment of segments) {
    const tensor = layout.tensors[segment.tensor]!;
    const place = namesakes?.get(segment.tensor) ?? names.find(path, tensor.name);
    const plan = place && planOf(place.file);
    const there = place && plan?.layout.tensors[place.tensor];
    if (place === undefined || plan === undefined || there === undefined || !canStandFor(there, tensor))
      return undefined;
    const isWhole = there.elementCount === tensor.elementCount;
    const elementCount = Math.min(segment.elementCount, there.elementCount - segment.firstElement);
    if (elementCount <= 0 || (!isWhole && !rowsMayDiffer)) return undefined;
    const zeroBytes = (segment.elementCount - elementCount) * dtypeBytes[tensor.dtype];
    parts.push({
      ...{ ...place, isWhole },
      ...partOf(plan, place.tensor, { ...segment, elementCount }),
      ...(zeroBytes > 0 && { zeroBytes }),
    });
  }
  return parts;
}
