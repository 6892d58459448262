import type { LatticeState, ResidualChain } from '../native/core.ts';
import type { PlannedBlock } from '../package/block-plan.ts';
import { matchBlocks } from '../package/match-blocks.ts';
import { isWeightCoding, type PackageCodebook, type PackageFile, type PackageIndex } from '../package/package-index.ts';
import { planFile, planTensors, type FilePlan } from '../package/plan-file.ts';
import type { ResidualTensor } from '../package/residual-tensor.ts';
import type { BlockReader, DecodedBlock } from '../restore/block-reader.ts';
import type { PackageChain } from '../restore/package-chain.ts';
import type { SourceFile } from './model-source.ts';
import { isQuantized, type CodingPlan, type QuantizedGroup } from './plan-codings.ts';

/** A stored checkpoint that a delta may refer to, seen along the blocks of a new checkpoint. The chain stays open while this is in use. */
export class Ancestor {
  readonly index: PackageIndex;
  /** Packages read to rebuild it, itself included. */
  readonly chainLength: number;
  private readonly readers: readonly (BlockReader | undefined)[];
  /** By file of the new checkpoint, by block: the number of the ancestor's block, or -1. */
  private readonly matches: readonly Int32Array[];
  private readonly groups: readonly QuantizedGroup[];
  /** By file of the new checkpoint: whether the file of the same path has the same digest. */
  private readonly identical: readonly boolean[];
  /** By file of the new checkpoint. */
  private readonly residualTensors: readonly ReadonlyMap<string, ResidualTensor>[];

  constructor(chain: PackageChain, files: readonly SourceFile[], plan: CodingPlan) {
    this.index = chain.links[0]!.package.index;
    this.chainLength = chain.links.length;
    this.groups = plan.groups;
    // Codebooks of the new package are not built yet; a match needs only their layer type and dtype.
    const codebooks = plan.groups.map((group): PackageCodebook => ({ ...group, table: new Uint8Array(0), levelCount: 0, tableSet: 0 }));
    const there = files.map((file) => this.index.files.find((candidate) => candidate.path === file.path && candidate.content.type === file.type));
    this.identical = there.map((file, i) => file?.sha256 === files[i]!.sha256);
    this.residualTensors = there.map((file) => residualTensorsOf(file));
    this.readers = there.map((file) => (file === undefined ? undefined : chain.blocks(file.path)));
    this.matches = files.map((file, i) => matchFile(there[i], this.index.codebooks, planTensors(file.layout, plan.files[i]!.codings), codebooks));
  }

  /**
   * Share of elements that have a counterpart there, 0 when there is nothing in common: of the quantized ones where the plan has any (a checkpoint stored exact
   * shares its norms and biases with a lossy one, and is no help to it), else of all.
   */
  coverage(plan: CodingPlan): number {
    const counted = (block: PlannedBlock): boolean => isWeightCoding(block.coding) === isQuantized(plan);
    let elements = 0;
    let matched = 0;
    for (const [file, { blocks }] of plan.files.entries()) {
      for (const [number, block] of blocks.entries()) {
        if (!counted(block)) continue;
        elements += block.elementCount;
        if (this.matches[file]![number]! >= 0) matched += block.elementCount;
      }
    }
    return elements === 0 ? 0 : matched / elements;
  }

  /** Whether it holds the bytes of a file under the path they have now, in the same blocks: each is then coded in a byte. */
  holds(file: number): boolean {
    return this.identical[file]! && this.matches[file]!.every((block) => block >= 0);
  }

  /** Whether a block has a counterpart. */
  hasBlock(file: number, block: number): boolean {
    return this.matches[file]![block]! >= 0;
  }

  /** Levels of the block this one is coded against; undefined without a counterpart. */
  async levels(file: number, block: number, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const decoded = await this.decoded(file, block, signal);
    return decoded?.kind === 'levels' ? decoded.levels.levels : undefined;
  }

  /** State of the residual block this one is coded against; undefined without a counterpart. */
  async residual(file: number, block: number, signal?: AbortSignal): Promise<LatticeState | undefined> {
    const decoded = await this.decoded(file, block, signal);
    return decoded?.kind === 'residual' ? decoded.state : undefined;
  }

  /** The way to that state; undefined without a counterpart. */
  async residualChain(file: number, block: number, signal?: AbortSignal): Promise<ResidualChain | undefined> {
    const match = this.matches[file]![block]!;
    return match < 0 ? undefined : this.readers[file]!.residualChain(match, signal);
  }

  /** The record of a residual tensor of the ancestor; undefined where it has none of that name. */
  residualTensor(file: number, name: string): ResidualTensor | undefined {
    return this.residualTensors[file]!.get(name);
  }

  /** Bytes of the exact block, or of the block of optimizer state, this one may be coded against; undefined without a counterpart. */
  async exactBytes(file: number, block: number, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const decoded = await this.decoded(file, block, signal);
    return decoded?.kind === 'exact' ? decoded.bytes : undefined;
  }

  private async decoded(file: number, block: number, signal?: AbortSignal): Promise<DecodedBlock | undefined> {
    const match = this.matches[file]![block]!;
    return match < 0 ? undefined : this.readers[file]!.decoded(match, signal);
  }

  /** The modulus of a matched block's differences in codebook `group`, which has `levelCount` levels now. */
  modulus(group: number, levelCount: number): number {
    const { layerType, dtype } = this.groups[group]!;
    const there = this.index.codebooks.find((codebook) => codebook.layerType === layerType && codebook.dtype === dtype);
    return Math.max(levelCount, there?.levelCount ?? 0);
  }
}

function residualTensorsOf(file: PackageFile | undefined): ReadonlyMap<string, ResidualTensor> {
  if (file?.content.type !== 'safetensors') return new Map();
  const { layout, residuals } = file.content;
  return new Map([...(residuals ?? [])].map(([tensor, record]) => [layout.tensors[tensor]!.name, record]));
}

function matchFile(
  there: PackageFile | undefined,
  codebooksThere: readonly PackageCodebook[],
  plan: FilePlan,
  codebooks: readonly PackageCodebook[],
): Int32Array {
  const planThere = there === undefined ? undefined : planFile(there);
  if (planThere === undefined) return new Int32Array(plan.blocks.length).fill(-1);
  return matchBlocks({ plan: planThere, codebooks: codebooksThere }, { plan, codebooks });
}
