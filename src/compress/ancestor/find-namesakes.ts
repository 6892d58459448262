import { dtypeBytes, isQuantizable, type Dtype } from '../../checkpoint/dtype.ts';
import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { blockElementsMax } from '../../native/core.ts';
import { canStandFor, rowsKey } from '../../package/blocks/namesakes.ts';
import { placeKey, type Namesakes, type TensorPlace } from '../../package/tensor-place.ts';
import type { PackageIndex } from '../../package/package-index.ts';
import type { SourceFile } from '../upload/model-source.ts';
import { headBytesOf, uploadedBytes } from '../upload/tensor-bytes.ts';

/** Most tensors of the ancestor that one tensor is compared with, for each key under which they are found. */
const comparisonsPerKey = 4;
/**
 * Elements sampled from the start of a tensor, and the distance of those that are sampled from the rest of its block.
 */
const sampledAtStart = 256;
const sampleStride = 128;
/** Least share of sampled elements that are alike in a tensor and in what it was renamed from. */
const alikeMin = 0.6;

/** A stored checkpoint whose tensors may have other names than those of the new one. */
export interface StoredModel {
  readonly index: PackageIndex;
  tensorOf(path: string, name: string): TensorPlace | undefined;
  /** The elements in a tensor's first block. */
  headOf(place: TensorPlace, signal?: AbortSignal): Promise<Uint8Array>;
}

/**
 * Finds what the ancestor calls the tensors of a new model that it does not have by their names: for each file, its
 * namesakes. Of the ancestor's tensors of the same dtype and rows, some are compared by their values: first those whose
 * names end alike or have the same numbers. Tensors that fill blocks must be alike. Smaller ones share blocks, which
 * all need a counterpart, so they take the likeliest one if most of the file was found. Reads a block of each tensor
 * concerned. Rejects with the errors of store and restore.
 */
export async function findNamesakes(
  files: readonly SourceFile[],
  ancestor: StoredModel,
  signal?: AbortSignal,
): Promise<readonly Namesakes[]> {
  const unnamed = files.map((file) => tensorsWithout(file, ancestor));
  if (unnamed.every((tensors) => tensors.length === 0)) return files.map(() => new Map());
  const candidates = new Candidates(ancestor, files, signal);
  const found: Namesakes[] = [];
  for (const [number, file] of files.entries())
    found.push(await namesakesOf(file, unnamed[number]!, candidates, signal));
  return found;
}

/** Numbers of the tensors of a model file that the ancestor does not have under their names. */
function tensorsWithout({ path, role, type, layout }: SourceFile, ancestor: StoredModel): number[] {
  const { index } = ancestor;
  // Tensors of a file that is stored as it was uploaded are in no package.
  const isElsewhere = index.files.some((file) => file.path === path && file.content.type === 'external');
  if (type !== 'safetensors' || role !== 'model' || isElsewhere) return [];
  return [...layout.tensors.entries()]
    .filter(([, entry]) => {
      const place = ancestor.tensorOf(path, entry.name);
      return entry.elementCount > 0 && (place === undefined || !canStandFor(entryOf(index, place), entry));
    })
    .map(([tensor]) => tensor);
}

interface Choice {
  readonly place: TensorPlace;
  readonly alike: number;
}

async function namesakesOf(
  file: SourceFile,
  tensors: readonly number[],
  candidates: Candidates,
  signal: AbortSignal | undefined,
): Promise<Namesakes> {
  const choices = new Map<number, Choice>();
  let [bytes, bytesAlike] = [0, 0];
  for (const tensor of tensors) {
    const entry = file.layout.tensors[tensor]!;
    const choice = await candidates.best(file, entry, signal);
    bytes += entry.endBytes - entry.startBytes;
    if (choice === undefined) continue;
    choices.set(tensor, choice);
    if (choice.alike >= alikeMin) bytesAlike += entry.endBytes - entry.startBytes;
  }
  const wasRenamed = 2 * bytesAlike >= bytes;
  return new Map(
    [...choices]
      .filter(
        ([tensor, { alike }]) =>
          alike >= alikeMin || (wasRenamed && file.layout.tensors[tensor]!.elementCount <= blockElementsMax),
      )
      .map(([tensor, { place }]) => [tensor, place]),
  );
}

/** The tensors of an ancestor, looked up by dtype and rows and by parts of their names. */
class Candidates {
  readonly #ancestor: StoredModel;
  readonly #signal: AbortSignal | undefined;
  readonly #places = new Map<string, TensorPlace[]>();
  readonly #samples = new Map<string, Promise<Sample>>();

  /** Tensors that one of `files` has under the same name come last. */
  constructor(ancestor: StoredModel, files: readonly SourceFile[], signal: AbortSignal | undefined) {
    this.#ancestor = ancestor;
    this.#signal = signal;
    const taken = new Set(files.flatMap(({ layout }) => layout.tensors.map(({ name }) => name)));
    const last: [TensorEntry, TensorPlace][] = [];
    for (const [file, { content }] of ancestor.index.files.entries()) {
      if (content.type !== 'safetensors') continue;
      for (const [tensor, entry] of content.layout.tensors.entries()) {
        if (entry.elementCount === 0) continue;
        if (taken.has(entry.name)) last.push([entry, { file, tensor }]);
        else this.#add(entry, { file, tensor });
      }
    }
    for (const [entry, place] of last) this.#add(entry, place);
  }

  /** The likeliest one; of equally likely ones, the one whose name is most alike. */
  async best(
    source: Pick<SourceFile, 'reader'>,
    entry: TensorEntry,
    signal: AbortSignal | undefined,
  ): Promise<Choice | undefined> {
    const places = this.#alikeByName(entry);
    if (places.length === 0) return undefined;
    const bytes = uploadedBytes(source, entry, signal);
    const sample = sampleOf(entry.dtype, await bytes.read(0, headBytesOf(bytes)));
    let best: Choice | undefined;
    for (const place of places) {
      const alike = shareAlike(sample, await this.#sampleOf(place, entry.dtype));
      if (alike > (best?.alike ?? -1)) best = { place, alike };
    }
    return best;
  }

  #alikeByName(entry: TensorEntry): readonly TensorPlace[] {
    const found = new Map<string, TensorPlace>();
    for (const key of keysOf(entry)) {
      let taken = 0;
      for (const place of this.#places.get(key) ?? []) {
        if (taken === comparisonsPerKey) break;
        if (!found.has(placeKey(place))) taken++;
        found.set(placeKey(place), place);
      }
    }
    return [...found.values()];
  }

  #sampleOf(place: TensorPlace, dtype: Dtype): Promise<Sample> {
    const key = placeKey(place);
    const known =
      this.#samples.get(key) ?? this.#ancestor.headOf(place, this.#signal).then((head) => sampleOf(dtype, head));
    this.#samples.set(key, known);
    return known;
  }

  #add(entry: TensorEntry, place: TensorPlace): void {
    for (const key of keysOf(entry)) {
      const places = this.#places.get(key);
      if (places === undefined) this.#places.set(key, [place]);
      else places.push(place);
    }
  }
}

/**
 * Keys under which a tensor is looked up: its last words, from all of them to none, and the numbers in its name.
 */
function keysOf(entry: TensorEntry): string[] {
  const rows = rowsKey(entry);
  const words = entry.name.split('.');
  const ends = words.map((_, first) => `${rows} .${words.slice(first).join('.')}`);
  const numbers = `${rows} #${words.filter((word) => /^\d+$/.test(word)).join('.')}`;
  return [...ends.slice(0, -1), numbers, ...ends.slice(-1), rows];
}

/** Sampled elements, each with the bytes that are compared: of floats, those with sign and exponent. */
type Sample = Buffer;

function sampleOf(dtype: Dtype, head: Uint8Array): Sample {
  const width = dtypeBytes[dtype];
  const compared = isQuantizable(dtype) || dtype === 'F64' ? 1 : width;
  const samples: Uint8Array[] = [];
  const count = head.length / width;
  for (let i = 0; i < count; i += i < sampledAtStart ? 1 : sampleStride)
    samples.push(head.subarray(width * (i + 1) - compared, width * (i + 1)));
  return Buffer.concat(samples);
}

/** Share of equal bytes as far as both samples go. */
function shareAlike(a: Sample, b: Sample): number {
  const length = Math.min(a.length, b.length);
  let equal = 0;
  for (let i = 0; i < length; i++) if (a[i] === b[i]) equal++;
  return equal / length;
}

function entryOf(index: PackageIndex, { file, tensor }: TensorPlace): TensorEntry {
  const { content } = index.files[file]!;
  if (content.type !== 'safetensors') throw new TypeError('a file without tensors');
  return content.layout.tensors[tensor]!;
}
