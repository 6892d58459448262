import { dtypeBytes } from '../../checkpoint/dtype.ts';
import { blockElementsMax } from '../../native/core.ts';
import type { PlannedBlock } from '../../package/blocks/block-plan.ts';
import { codingBehind } from '../../package/blocks/copied-tensors.ts';
import { gatheredBlocksMax } from '../../package/format-limits.ts';
import { gatherBlock, gatheringVersionMin, mayGather } from '../../package/blocks/gather-blocks.ts';
import { matchBlocks } from '../../package/blocks/match-blocks.ts';
import { namesakesIn, namesakesVersionMin, type NamedTensors } from '../../package/blocks/namesakes.ts';
import { gatheredStartVersionMin } from '../../package/blocks/residual-block.ts';
import type { Namesakes } from '../../package/tensor-place.ts';
import {
  isBlockless,
  isExactCoding,
  isWeightCoding,
  type FormatVersion,
  type PackageCodebook,
  type PackageFile,
  type PackageIndex,
  type TensorCoding,
  type TensorPlace,
} from '../../package/package-index.ts';
import { partOf, planFile, planTensors, type BlockPart, type FilePlan } from '../../package/blocks/plan-file.ts';
import type { ResidualTensor } from '../../package/residual-tensor.ts';
import type { BlockReader, DecodedBlock } from '../../restore/chain/block-reader.ts';
import type { BlockWalk } from '../../restore/chain/decoders/block-decoder.ts';
import type { PackageChain } from '../../restore/chain/package-chain.ts';
import { countBlocks, readParts, type LocatedPart } from '../../restore/chain/read-parts.ts';
import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import type { SourceFile } from '../upload/model-source.ts';
import type { TensorBytes } from '../upload/tensor-bytes.ts';
import { isQuantized, type CodingPlan, type QuantizedGroup } from '../plan/plan-codings.ts';
import type { AncestorUpload } from './ancestor-upload.ts';
import { planInherited } from './inherited-tensors.ts';
import { stateName } from './state-names.ts';

/** The parts of the ancestor's tensors that make up a block. */
interface Gathered {
  readonly parts: readonly LocatedPart[];
  /** The first format version that can express it. */
  readonly versionMin: FormatVersion;
  /** Whether all of these tensors are restored exactly as uploaded. */
  readonly isExact: boolean;
}

type Gatherings = ReadonlyMap<number, Gathered>;

/**
 * A stored checkpoint that a delta may build on, matched to the blocks of a new checkpoint. The chain stays open while
 * this is in use.
 */
export class Ancestor {
  readonly index: PackageIndex;
  /** Packages read to rebuild it, itself included. */
  readonly chainLength: number;
  private readonly readers: readonly (BlockReader | undefined)[];
  /** The plan of the new checkpoint. */
  readonly plan: CodingPlan;
  private readonly chain: PackageChain;
  private readonly files: readonly SourceFile[];
  /** By file of the new checkpoint: the number of the ancestor's file, or -1. */
  private readonly numbers: readonly number[];
  /** By file of the new checkpoint, by block: the number of the ancestor's block, or -1. */
  private readonly matches: readonly Int32Array[];
  /**
   * By file of the new checkpoint: the parts of the ancestor's tensors that make up exact and residual blocks without
   * such a match.
   */
  private readonly gathers: readonly Gatherings[];
  private readonly groups: readonly QuantizedGroup[];
  /** By file of the new checkpoint: whether the ancestor's file of the same path has the same digest. */
  private readonly identical: readonly boolean[];
  /** By file of the new checkpoint. */
  private readonly residualTensors: readonly ReadonlyMap<string, ResidualTensor>[];
  /** By file of the new checkpoint: what its tensors are called here, if they have other names. */
  private readonly namesakes: readonly Namesakes[];
  /** The weights that it was made of, as long as the chain stays open; undefined if they are not kept. */
  readonly upload: AncestorUpload | undefined;
  /** By path of a file and name of a tensor of the new checkpoint. */
  private readonly renamed: ReadonlyMap<string, ReadonlyMap<string, TensorPlace>>;
  private kept: Promise<Ancestor> | undefined;

  constructor(
    chain: PackageChain,
    files: readonly SourceFile[],
    plan: CodingPlan,
    namesakes: readonly Namesakes[] = files.map(() => new Map()),
    upload?: AncestorUpload,
  ) {
    this.upload = upload;
    this.chain = chain;
    this.files = files;
    this.plan = plan;
    this.namesakes = namesakes;
    this.renamed = new Map(
      files.map(({ path, layout }, file) => [
        path,
        new Map([...namesakes[file]!].map(([tensor, place]) => [layout.tensors[tensor]!.name, place])),
      ]),
    );
    this.index = chain.links[0]!.package.index;
    this.chainLength = chain.links.length;
    this.groups = plan.groups;
    // Codebooks of the new package are not built yet; a match needs only their layer type and dtype.
    const codebooks = plan.groups.map((group): PackageCodebook => ({
      ...group,
      table: new Uint8Array(0),
      levelCount: 0,
      tableSet: 0,
    }));
    const numbers = files.map((file) =>
      this.index.files.findIndex((candidate) => candidate.path === file.path && candidate.content.type === file.type),
    );
    this.numbers = numbers;
    const there = numbers.map((number) => this.index.files[number]);
    this.identical = there.map((file, i) => file?.sha256 === files[i]!.sha256);
    this.residualTensors = files.map(({ layout }, i) =>
      residualTensorsOf({ layout, namesakes: namesakes[i] }, there[i], numbers[i]!),
    );
    this.readers = there.map((file) => (file === undefined ? undefined : chain.blocks(file.path)));
    const plans = files.map((file, i) => planTensors(file.layout, plan.files[i]!.codings));
    this.matches = plans.map((each, i) => {
      const planThere = there[i] && planFile(there[i]);
      if (planThere === undefined) return new Int32Array(each.blocks.length).fill(-1);
      return matchBlocks(
        { plan: planThere, codebooks: this.index.codebooks, number: numbers[i]! },
        { plan: each, codebooks, namesakes: namesakes[i] },
      );
    });
    this.gathers = this.gatherAll(plans);
  }

  /**
   * The same stored checkpoint, matched to the plan in which tensors that it has already are inherited
   * (`planInherited`); itself if there are none. Rejects with the errors of `planInherited`.
   */
  keeping(signal?: AbortSignal): Promise<Ancestor> {
    this.kept ??= this.findKept(signal);
    return this.kept;
  }

  private async findKept(signal: AbortSignal | undefined): Promise<Ancestor> {
    const { files, plan } = this;
    const kept = await planInherited({ files, plan, ancestor: this, signal });
    if (kept === plan) return this;
    const along = new Ancestor(this.chain, files, kept, this.namesakes, this.upload);
    // A tensor that shared a block with an inherited one loses its counterpart if its elements cannot be gathered. So
    // inheriting may cost more than it saves.
    return along.bytesAnew(plan) <= this.bytesAnew(kept) ? along : this;
  }

  /**
   * Uploaded bytes of exact blocks without a counterpart, and of tensors in other exact blocks that `other` inherits
   * and this plan does not.
   */
  private bytesAnew(other: CodingPlan): number {
    let bytes = 0;
    for (const [file, { blocks, codings }] of this.plan.files.entries()) {
      const { tensors } = this.files[file]!.layout;
      for (const [number, { coding, segments }] of blocks.entries()) {
        if (coding.kind !== 'exact') continue;
        const hasBlock = this.hasBlock(file, number);
        for (const { tensor, elementCount } of segments) {
          const isElsewhere =
            codings[tensor]!.kind !== 'inherited' && other.files[file]!.codings[tensor]!.kind === 'inherited';
          if (!hasBlock || isElsewhere) bytes += elementCount * dtypeBytes[tensors[tensor]!.dtype];
        }
      }
    }
    return bytes;
  }

  /**
   * Share of the plan's elements that have a counterpart, 0 if there is nothing in common. If the plan quantizes
   * weights, only quantized elements count, because an exact checkpoint shares its norms and biases with a lossy one
   * and is no help to it. Else all elements count. Inherited tensors always do.
   */
  coverage(): number {
    const { plan } = this;
    const quantized = isQuantized(plan);
    const counted = (block: PlannedBlock): boolean => isWeightCoding(block.coding) === quantized;
    let elements = 0;
    let matched = 0;
    for (const [file, { blocks, codings }] of plan.files.entries()) {
      for (const [number, block] of blocks.entries()) {
        if (!counted(block)) continue;
        elements += block.elementCount;
        if (this.hasBlock(file, number)) matched += block.elementCount;
      }
      for (const [tensor, { elementCount }] of this.files[file]!.layout.tensors.entries()) {
        if (codings[tensor]?.kind !== 'inherited') continue;
        elements += elementCount;
        matched += elementCount;
      }
    }
    return elements === 0 ? 0 : matched / elements;
  }

  /**
   * Whether the ancestor has a file with the same path and bytes, in the same blocks: each block then takes one byte.
   */
  holds(file: number): boolean {
    return this.identical[file]! && this.matches[file]!.every((_, block) => this.hasBlock(file, block));
  }

  /** Whether a block has a counterpart. */
  hasBlock(file: number, block: number): boolean {
    return this.matches[file]![block]! >= 0 || this.gathers[file]!.has(block);
  }

  /**
   * The first format version that can express the counterparts of a file's blocks: some are gathered from blocks with
   * other edges or codings, or of another file, or belong to tensors of other names or with another number of rows.
   */
  versionMin(file: number): FormatVersion {
    const versions = [...this.gathers[file]!.values()].map(({ versionMin }) => versionMin);
    return versions.reduce((a, b) => (a > b ? a : b), this.namesakesOf(file) === undefined ? 1 : namesakesVersionMin);
  }

  /** What a delta's file lists: the namesakes of its tensors with blocks. Undefined if there are none. */
  namesakesOf(file: number): Namesakes | undefined {
    const { codings } = this.plan.files[file]!;
    const listed = new Map([...this.namesakes[file]!].filter(([tensor]) => !isBlockless(codings[tensor]!)));
    return listed.size === 0 ? undefined : listed;
  }

  /**
   * The ancestor's tensor of that name, or the one that was renamed to it: in the file of that path, or else in the
   * first file that has one.
   */
  tensorOf(path: string, name: string): TensorPlace | undefined {
    return this.renamed.get(path)?.get(name) ?? this.chain.links[0]!.package.tensorNames.find(path, name);
  }

  /** The bytes of the ancestor's tensor of that name, dtype and size; undefined if it has none. */
  namesake(path: string, { name, dtype, elementCount }: TensorEntry, signal?: AbortSignal): TensorBytes | undefined {
    const place = this.tensorOf(path, name);
    const there = place && this.chain.links[0]!.package.plan(place.file)!.layout.tensors[place.tensor]!;
    if (there?.dtype !== dtype || there.elementCount !== elementCount) return undefined;
    const sizeBytes = there.endBytes - there.startBytes;
    return { dtype, sizeBytes, read: (at, length) => this.tensorBytes(place!, at, length, signal) };
  }

  /** The elements in the first block of an ancestor's tensor, in its own dtype. */
  headOf({ file, tensor }: TensorPlace, signal?: AbortSignal): Promise<Uint8Array> {
    const plan = this.chain.links[0]!.package.plan(file)!;
    const elementCount = Math.min(blockElementsMax, plan.layout.tensors[tensor]!.elementCount);
    return readParts(
      [this.located({ file, tensor, ...partOf(plan, tensor, { firstElement: 0, elementCount }) })],
      signal,
    );
  }

  /** Bytes of an ancestor's tensor from `startBytes` on, in its own dtype. */
  async tensorBytes(
    { file, tensor }: TensorPlace,
    startBytes: number,
    lengthBytes: number,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const { path, content } = this.index.files[file]!;
    if (content.type !== 'safetensors') throw new TypeError('a file without tensors');
    const at = content.layout.tensors[tensor]!.startBytes + startBytes;
    const pieces: Uint8Array[] = [];
    for await (const piece of this.chain.file(path).stream(at, at + lengthBytes, signal)) pieces.push(piece);
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  /** The counterpart of a block, as it is coded; undefined without a counterpart. */
  async decoded(file: number, block: number, signal?: AbortSignal): Promise<DecodedBlock | undefined> {
    const match = this.matches[file]![block]!;
    return match < 0 ? undefined : this.readers[file]!.decoded(match, signal);
  }

  /** The elements of the counterpart, in the tensors' dtype; undefined without a counterpart. */
  async elements(file: number, block: number, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const match = this.matches[file]![block]!;
    return match < 0 ? undefined : this.readers[file]!.elements(match, signal);
  }

  /**
   * The blocks along the chain to the counterpart, for a method that does not decode it first; undefined without a
   * counterpart.
   */
  walk(file: number, block: number): BlockWalk | undefined {
    const match = this.matches[file]![block]!;
    return match < 0 ? undefined : this.readers[file]!.walk(match);
  }

  /** A name of the state at the end of that walk, the same for all that build on it; undefined without one. */
  stateName(file: number, block: number): string | undefined {
    const match = this.matches[file]![block]!;
    const { key } = this.chain.links[0]!;
    return match < 0 ? undefined : stateName({ key, id: this.index.id }, { file: this.numbers[file]!, index: match });
  }

  /** The ancestor's record of a residual tensor; undefined if it has none of that name. */
  residualTensor(file: number, name: string): ResidualTensor | undefined {
    return this.residualTensors[file]!.get(name);
  }

  /**
   * The elements that a residual block without a state in the ancestor starts from, in the tensors' dtype; undefined if
   * it starts from origins, or has a state there.
   */
  async gatheredElements(file: number, block: number, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const gathered = this.gathers[file]!.get(block);
    return gathered && readParts(gathered.parts, signal);
  }

  /** Whether a block is gathered from tensors of the ancestor. */
  isGathered(file: number, block: number): boolean {
    return this.gathers[file]!.has(block);
  }

  /** Bytes of the counterpart of an exact block, or of a block of optimizer state; undefined without a counterpart. */
  async exactBytes(file: number, block: number, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const gathered = await this.gatheredElements(file, block, signal);
    if (gathered !== undefined) return gathered;
    const decoded = await this.decoded(file, block, signal);
    return decoded?.kind === 'exact' ? decoded.bytes : undefined;
  }

  private located(part: TensorPlace & BlockPart): LocatedPart {
    return this.chain.blocks(this.index.files[part.file]!.path).located(part);
  }

  /**
   * Gathers for the blocks of all files. Residual blocks start from gathered elements only if none has a state in the
   * ancestor, and one has exact elements there. Then all that can must do so, however the ancestor's are coded
   * (docs/format.md, "Residual block").
   */
  private gatherAll(plans: readonly FilePlan[]): readonly Gatherings[] {
    const all = plans.map((plan, file): Gatherings =>
      this.files[file]!.type === 'safetensors' ? this.gather(plan, file) : new Map(),
    );
    const residual = plans.map(
      ({ blocks }) => new Set([...blocks.keys()].filter((number) => blocks[number]!.coding.kind === 'residual')),
    );
    const hasState = residual.some((numbers, file) => [...numbers].some((number) => this.matches[file]![number]! >= 0));
    const startsFromExact = all.some((gathered, file) =>
      [...gathered].some(([number, { isExact }]) => isExact && residual[file]!.has(number)),
    );
    if (startsFromExact && !hasState) return all;
    return all.map((gathered, file) => new Map([...gathered].filter(([number]) => !residual[file]!.has(number))));
  }

  /**
   * Gathers parts for the exact and residual blocks of a file that match no block of the ancestor. For exact blocks,
   * tensors that are lossy in the ancestor are left out: they would help little.
   */
  private gather(plan: FilePlan, file: number): Gatherings {
    const there = this.chain.links[0]!.package;
    const tensors = { names: there.tensorNames, planOf: (file: number): FilePlan => there.plan(file)! };
    const gathered = new Map<number, Gathered>();
    if (!mayGather(this.chain.links.map((link) => link.package.index))) return gathered;
    for (const [number, block] of plan.blocks.entries()) {
      const isResidual = block.coding.kind === 'residual';
      if (this.matches[file]![number]! >= 0 || !(isResidual || block.coding.kind === 'exact')) continue;
      const found = gatherBlock(
        block,
        { path: this.files[file]!.path, plan, namesakes: this.namesakes[file], rowsMayDiffer: true },
        tensors,
      );
      if (found === undefined) continue;
      const isExact = found.every((part) => this.isExactThere(part));
      if (!isExact && !isResidual) continue;
      const parts = found.map((part) => ({ ...this.located(part), zeroBytes: part.zeroBytes }));
      if (countBlocks(parts) > gatheredBlocksMax) continue;
      const isWhole = found.every((part) => part.isWhole);
      const versionMin = isResidual ? gatheredStartVersionMin : isWhole ? gatheringVersionMin : namesakesVersionMin;
      gathered.set(number, { parts, versionMin, isExact });
    }
    return gathered;
  }

  /** Whether a tensor of the ancestor is restored exactly as uploaded, according to its package. */
  private isExactThere({ file, tensor }: TensorPlace): boolean {
    const codingsOf = (number: number): readonly TensorCoding[] => {
      const { content } = this.index.files[number]!;
      return content.type === 'safetensors' ? content.codings : [];
    };
    return isExactCoding(codingBehind(codingsOf(file)[tensor]!, codingsOf));
  }

  /** The modulus of a matched block's differences in codebook `group`, which has `levelCount` levels now. */
  modulus(group: number, levelCount: number): number {
    const { layerType, dtype } = this.groups[group]!;
    const there = this.index.codebooks.find((codebook) => codebook.layerType === layerType && codebook.dtype === dtype);
    return Math.max(levelCount, there?.levelCount ?? 0);
  }
}

/** The records of the namesakes of a file's tensors, by the names in the new checkpoint. */
function residualTensorsOf(
  file: NamedTensors,
  there: PackageFile | undefined,
  number: number,
): ReadonlyMap<string, ResidualTensor> {
  if (there?.content.type !== 'safetensors') return new Map();
  const { layout, residuals } = there.content;
  const namesakeOf = namesakesIn(file, { layout, file: number });
  const records = new Map<string, ResidualTensor>();
  for (const [tensor, { name }] of file.layout.tensors.entries()) {
    const record = residuals?.get(namesakeOf(tensor) ?? -1);
    if (record !== undefined) records.set(name, record);
  }
  return records;
}
