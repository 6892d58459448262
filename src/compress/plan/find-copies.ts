import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { codingRuleOf } from '../../package/codings/all-codings.ts';
import { isBlockless, type CopyCoding, type TensorCoding } from '../../package/package-index.ts';
import { placeKey } from '../../package/tensor-place.ts';
import { planTensors } from '../../package/blocks/plan-file.ts';
import type { SourceFile } from '../upload/model-source.ts';
import type { CodingPlan, PlannedFile } from './plan-codings.ts';
import { isEqual, sampleOf, sharedBytesMin, uploadedBytes, type TensorBytes } from '../upload/tensor-bytes.ts';

/** Different tensors with equal samples that a tensor is compared with. */
const comparisonsMax = 4;
/**
 * Least share of a file that other files copy. A copied file must be in the package, whose checksums take up to half of
 * this share if the file is incompressible.
 */
const copiedShareMin = 1 / 4096;

interface Place extends TensorEntry {
  readonly file: number;
  readonly tensor: number;
}

interface KnownPlace {
  readonly place: Place;
  readonly bytes: TensorBytes;
}

export interface CopiesToFind {
  readonly files: readonly SourceFile[];
  readonly plan: CodingPlan;
  /**
   * Numbers of files that will probably not be in the package: their tensors are neither copies of other files' tensors
   * nor originals of such copies.
   */
  readonly apart: ReadonlySet<number>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the plan in which every tensor with the same bytes and coding as an earlier one is a copy of it: tied
 * weights, a master copy in an optimizer file. Tensors of one repeated element are left alone: they take almost
 * nothing, and rarely stay equal. Reads a sample of tensors that could be equal, and whole tensors if samples are
 * equal. Rejects with the store's errors.
 */
export async function planCopies(request: CopiesToFind): Promise<CodingPlan> {
  const { files, plan } = request;
  const copies = [...(await allCopies(request))];
  const outside = copies.filter(([place, coding]) => coding.file !== place.file);
  const worthwhile = files.map(
    ({ sizeBytes }, file) =>
      bytesOf(outside.filter(([, coding]) => coding.file === file)) >= copiedShareMin * sizeBytes,
  );
  const kept = new Map<string, CopyCoding>();
  for (const [place, coding] of copies)
    if (coding.file === place.file || worthwhile[coding.file]!) kept.set(placeKey(place), coding);
  if (kept.size === 0) return plan;
  const planned = plan.files.map((file, number): PlannedFile => {
    const codings = file.codings.map(
      (coding, tensor): TensorCoding => kept.get(placeKey({ file: number, tensor })) ?? coding,
    );
    return codings.some(({ kind }) => kind === 'copy')
      ? { codings, blocks: planTensors(files[number]!.layout, codings).blocks }
      : file;
  });
  return { ...plan, files: planned };
}

function bytesOf(copies: readonly (readonly [Place, CopyCoding])[]): number {
  return copies.reduce((sum, [{ startBytes, endBytes }]) => sum + endBytes - startBytes, 0);
}

/** Every copy with its original, which is not a copy itself. */
async function allCopies({ files, plan, apart, signal }: CopiesToFind): Promise<Map<Place, CopyCoding>> {
  const copies = new Map<Place, CopyCoding>();
  for (const alike of groupsOf(places(files, plan, apart))) {
    const originals = new Map<string, KnownPlace[]>();
    for (const place of alike) {
      const bytes = uploadedBytes(files[place.file]!, place, signal);
      const sample = await sampleOf(bytes);
      if (sample === undefined) continue;
      const known = originals.get(sample) ?? [];
      originals.set(sample, known);
      const original = await firstEqual(known, bytes);
      if (original !== undefined) copies.set(place, { kind: 'copy', file: original.file, tensor: original.tensor });
      else if (known.length < comparisonsMax) known.push({ place, bytes });
    }
  }
  return copies;
}

/**
 * Tensors grouped by dtype, size and coding, in the order of the files. Lossy optimizer state and the second moments it
 * refers to are left out: they have their own blocks.
 */
function places(files: readonly SourceFile[], plan: CodingPlan, apart: ReadonlySet<number>): Map<string, Place[]> {
  const found = new Map<string, Place[]>();
  for (const [file, { type, layout }] of files.entries()) {
    if (type !== 'safetensors') continue;
    const { codings } = plan.files[file]!;
    const secondMoments = new Set(
      codings.map((coding) =>
        coding.kind === 'state' && coding.encoding === 'firstMoment' ? coding.secondMoments : -1,
      ),
    );
    for (const [tensor, entry] of layout.tensors.entries()) {
      const coding = codings[tensor]!;
      if (entry.endBytes - entry.startBytes < sharedBytesMin || coding.kind === 'state' || secondMoments.has(tensor))
        continue;
      // Exact tensors form one group whatever their layer types.
      const coded = coding.kind === 'exact' || isBlockless(coding) ? coding.kind : codingRuleOf(coding).codeOf(coding);
      const key = `${entry.dtype} ${entry.elementCount} ${coded} ${apart.has(file) ? file : ''}`;
      const alike = found.get(key);
      const place = { ...entry, file, tensor };
      if (alike === undefined) found.set(key, [place]);
      else alike.push(place);
    }
  }
  return found;
}

function groupsOf(found: ReadonlyMap<string, Place[]>): Place[][] {
  return [...found.values()].filter((alike) => alike.length > 1);
}

async function firstEqual(originals: readonly KnownPlace[], bytes: TensorBytes): Promise<Place | undefined> {
  for (const original of originals) if (await isEqual(original.bytes, bytes)) return original.place;
  return undefined;
}
