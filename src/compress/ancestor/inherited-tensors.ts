import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import { isBlockless, type PackageIndex, type TensorCoding, type TensorPlace } from '../../package/package-index.ts';
import { placeKey } from '../../package/tensor-place.ts';
import { planTensors } from '../../package/blocks/plan-file.ts';
import type { SourceFile } from '../upload/model-source.ts';
import { isQuantized, type CodingPlan, type PlannedFile } from '../plan/plan-codings.ts';
import {
  headBytesOf,
  isEqual,
  sampleOf,
  sharedBytesMin,
  sketchOf,
  uploadedBytes,
  type TensorBytes,
} from '../upload/tensor-bytes.ts';

/** Tensors of the ancestor with equal sketches that a tensor is compared with. */
const comparisonsMax = 8;

/** A stored checkpoint with tensors that may occur in the new one, such as `Ancestor`. */
export interface StoredTensors {
  readonly index: PackageIndex;
  hasBlock(file: number, block: number): boolean;
  tensorOf(path: string, name: string): TensorPlace | undefined;
  /** The elements in a tensor's first block. */
  headOf(place: TensorPlace, signal?: AbortSignal): Promise<Uint8Array>;
  tensorBytes(place: TensorPlace, startBytes: number, lengthBytes: number, signal?: AbortSignal): Promise<Uint8Array>;
}

export interface InheritedToFind {
  readonly files: readonly SourceFile[];
  readonly plan: CodingPlan;
  readonly ancestor: StoredTensors;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the plan in which every exact tensor with the same bytes as one of the ancestor's is inherited, also if it
 * was renamed, moved to another file, swapped with another, or has new neighbours. A tensor that equals its counterpart
 * in the same block stays exact: later checkpoints are coded against blocks. Returns the given plan if there are none,
 * or if weights are quantized. Reads the first block of every tensor of `sharedBytesMin` bytes or more and of the
 * ancestor's tensors that could be equal, and the rest of both if these blocks are. Rejects with the errors of store
 * and restore.
 */
export async function planInherited(request: InheritedToFind): Promise<CodingPlan> {
  const { files, plan, ancestor, signal } = request;
  if (isQuantized(plan)) return plan;
  const there = new AncestorTensors(ancestor, signal);
  const named = namedTensors(plan);
  const kept = new Map<string, TensorPlace>();
  for (const [file, source] of files.entries()) {
    if (source.type !== 'safetensors') continue;
    const { firstBlock } = planTensors(source.layout, plan.files[file]!.codings);
    for (const [tensor, entry] of source.layout.tensors.entries()) {
      const key = placeKey({ file, tensor });
      if (
        plan.files[file]!.codings[tensor]!.kind !== 'exact' ||
        named.has(key) ||
        entry.endBytes - entry.startBytes < sharedBytesMin
      )
        continue;
      const place = await inheritedPlace(
        there,
        { source, entry, hasBlock: ancestor.hasBlock(file, firstBlock[tensor]!) },
        signal,
      );
      if (place !== undefined) kept.set(key, place);
    }
  }
  return kept.size === 0
    ? plan
    : { ...plan, files: plan.files.map((planned, file) => withInherited(files[file]!, planned, { file, kept })) };
}

interface TensorToKeep {
  readonly source: SourceFile;
  readonly entry: TensorEntry;
  /** Whether the block of the tensor has a counterpart. */
  readonly hasBlock: boolean;
}

async function inheritedPlace(
  there: AncestorTensors,
  { source, entry, hasBlock }: TensorToKeep,
  signal: AbortSignal | undefined,
): Promise<TensorPlace | undefined> {
  if (!there.hasAlike(entry)) return undefined;
  const bytes = uploadedBytes(source, entry, signal);
  if ((await sampleOf(bytes)) === undefined) return undefined;
  const sketch = sketchOf(await bytes.read(0, headBytesOf(bytes)));
  const counterpart = there.counterpart(source.path, entry);
  const isAlike = counterpart !== undefined && (await there.sketch(counterpart)) === sketch;
  if (isAlike && hasBlock) return undefined;
  // A tensor of the same name comes first: later checkpoints can then be traced back more easily.
  const places = [...(isAlike ? [counterpart] : []), ...(await there.withSketch(entry, sketch))];
  for (const place of places.slice(0, comparisonsMax)) if (await isEqual(bytes, there.bytes(place))) return place;
  return undefined;
}

/**
 * Tensors that others of the checkpoint refer to. Originals of copies of the same dtype are not among them: they are
 * inherited together with their copies.
 */
function namedTensors({ files }: CodingPlan): ReadonlySet<string> {
  const named = new Set<string>();
  for (const [file, { codings }] of files.entries()) {
    for (const coding of codings) {
      if (coding.kind === 'exact' && coding.modelWeights !== undefined) named.add(placeKey(coding.modelWeights));
      if (coding.kind === 'copy' && coding.widened === true) named.add(placeKey(coding));
      if (coding.kind === 'state' && coding.encoding === 'firstMoment')
        named.add(placeKey({ file, tensor: coding.secondMoments }));
    }
  }
  return named;
}

function withInherited(
  { layout }: SourceFile,
  planned: PlannedFile,
  { file, kept }: { file: number; kept: ReadonlyMap<string, TensorPlace> },
): PlannedFile {
  const codings = planned.codings.map((coding, tensor): TensorCoding => {
    const isCopy = coding.kind === 'copy' && coding.widened !== true;
    const place = kept.get(placeKey(isCopy ? coding : { file, tensor }));
    return place === undefined || (isBlockless(coding) && !isCopy) ? coding : { kind: 'inherited', ...place };
  });
  return codings.some(({ kind }) => kind === 'inherited')
    ? { codings, blocks: planTensors(layout, codings).blocks }
    : planned;
}

/** The ancestor's tensors, indexed by dtype and size, then by samples of their first blocks. */
class AncestorTensors {
  private readonly ancestor: StoredTensors;
  private readonly signal: AbortSignal | undefined;
  private readonly places = new Map<string, TensorPlace[]>();
  private readonly sketches = new Map<string, Promise<string>>();
  private readonly bySketch = new Map<string, Promise<ReadonlyMap<string, TensorPlace[]>>>();

  constructor(ancestor: StoredTensors, signal: AbortSignal | undefined) {
    this.ancestor = ancestor;
    this.signal = signal;
    for (const [file, { content }] of ancestor.index.files.entries()) {
      if (content.type !== 'safetensors') continue;
      for (const [tensor, entry] of content.layout.tensors.entries())
        addTo(this.places, classOf(entry), { file, tensor });
    }
  }

  hasAlike(entry: TensorShape): boolean {
    return this.places.has(classOf(entry));
  }

  /** The tensor of the same name, dtype and size. */
  counterpart(path: string, entry: TensorEntry): TensorPlace | undefined {
    const place = this.ancestor.tensorOf(path, entry.name);
    return place !== undefined && classOf(this.entry(place)) === classOf(entry) ? place : undefined;
  }

  /** The tensors of the same dtype, size and sketch. */
  async withSketch(entry: TensorShape, sketch: string): Promise<readonly TensorPlace[]> {
    const key = classOf(entry);
    const known = this.bySketch.get(key) ?? this.sketched(this.places.get(key) ?? []);
    this.bySketch.set(key, known);
    return (await known).get(sketch) ?? [];
  }

  sketch(place: TensorPlace): Promise<string> {
    const key = placeKey(place);
    const known = this.sketches.get(key) ?? this.ancestor.headOf(place, this.signal).then(sketchOf);
    this.sketches.set(key, known);
    return known;
  }

  bytes(place: TensorPlace): TensorBytes {
    const { dtype, startBytes, endBytes } = this.entry(place);
    return {
      dtype,
      sizeBytes: endBytes - startBytes,
      read: (at, length) => this.ancestor.tensorBytes(place, at, length, this.signal),
    };
  }

  private async sketched(places: readonly TensorPlace[]): Promise<ReadonlyMap<string, TensorPlace[]>> {
    const found = new Map<string, TensorPlace[]>();
    for (const place of places) addTo(found, await this.sketch(place), place);
    return found;
  }

  private entry({ file, tensor }: TensorPlace): TensorEntry {
    const { content } = this.ancestor.index.files[file]!;
    if (content.type !== 'safetensors') throw new TypeError('a file without tensors');
    return content.layout.tensors[tensor]!;
  }
}

type TensorShape = Pick<TensorEntry, 'dtype' | 'elementCount'>;

function classOf({ dtype, elementCount }: TensorShape): string {
  return `${dtype} ${elementCount}`;
}

function addTo<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}
