import { FirnError } from '../../checkpoint/firn-error.ts';
import { roundedMode, type LatticeState, type NativeCore, type ResidualChain } from '../../native/core.ts';
import { dtypeBytes, isQuantizable, type QuantizableDtype } from '../../checkpoint/dtype.ts';
import type { PlannedBlock } from '../../package/blocks/block-plan.ts';
import { paddedTable } from '../../package/index/codebook-record.ts';
import { corruptPackage } from '../../package/corrupt-package.ts';
import { gatheredBlocksMax } from '../../package/format-limits.ts';
import { decodeExactBlock, decodeLevelBlock, type DecodedLevels } from '../../package/blocks/decode-block.ts';
import { levelModulus } from '../../package/blocks/match-blocks.ts';
import { roundedParts } from '../../package/blocks/named-tensors.ts';
import { partOf, type BlockPart } from '../../package/blocks/plan-file.ts';
import type { PackageCodebook, SuperStepPart } from '../../package/package-index.ts';
import { blockOrigins, latticeElements, residualLink, type ResidualFile } from '../../package/blocks/residual-block.ts';
import { besideParts, stateSegments } from '../../package/blocks/state-place.ts';
import type { BlockMemory } from '../block-memory.ts';
import type { ByteCache } from '../byte-cache.ts';
import type { FileLineage, LineageStep } from './file-lineage.ts';
import { countBlocks, readParts, type ElementReader, type LocatedPart } from './read-parts.ts';

/** A decoded block before dequantization. Shared through a cache: read only. */
export type DecodedBlock =
  | { readonly kind: 'levels'; readonly levels: DecodedLevels }
  | { readonly kind: 'residual'; readonly state: LatticeState }
  | { readonly kind: 'exact'; readonly bytes: Uint8Array };

/** Elements of another tensor that stand for those of a copy, or of a kept tensor. */
interface CopiedFrom {
  readonly reader: BlockReader;
  readonly block: number;
  /** Which elements of the block; absent: all. */
  readonly part?: BlockPart;
  readonly widened?: true;
}

/** A block in one step of the lineage. */
interface WalkStep {
  readonly step: number;
  readonly number: number;
}

/**
 * Decodes blocks of one file, following each along the chain to the package where it stands alone, or to one in the cache. Every payload's
 * CRC-32C is checked before it is decoded. Methods reject with `corrupt-package`, `cancelled`, `overloaded`, and the store's errors.
 */
export class BlockReader implements ElementReader {
  readonly #core: NativeCore;
  readonly #cache: ByteCache<DecodedBlock>;
  readonly #lineage: FileLineage;
  readonly #readerOf: (fileNumber: number, step?: number) => BlockReader;

  /** `readerOf`: of another file, for copies of its tensors, for masters, kept tensors and gathered blocks: as the newest package has it, or the one `step` places before. */
  constructor(
    ctx: { readonly core: NativeCore; readonly blocks: ByteCache<DecodedBlock> },
    lineage: FileLineage,
    readerOf: (fileNumber: number, step?: number) => BlockReader,
  ) {
    this.#core = ctx.core;
    this.#cache = ctx.blocks;
    this.#lineage = lineage;
    this.#readerOf = readerOf;
  }

  /** The file in the newest package. */
  get file(): LineageStep {
    return this.#lineage.steps[0]!;
  }

  get codebooks(): readonly PackageCodebook[] {
    return this.file.package.index.codebooks;
  }

  /** A block as it is coded: levels with protected words, the state of a residual block, or the bytes of an exact block or one of optimizer state. */
  async decoded(block: number, signal?: AbortSignal): Promise<DecodedBlock> {
    switch (this.file.plan.blocks[block]!.coding.kind) {
      case 'levels':
        return this.#levels(block, signal);
      case 'residual':
        return this.#residual(block, signal);
      case 'state':
        return this.#state(block, signal);
      case 'exact':
        return this.#exact(block, signal);
    }
  }

  /** The way to a residual block's state, for coding a later checkpoint behind it: from one that is kept, or from the block's start. */
  async residualChain(block: number, signal?: AbortSignal): Promise<ResidualChain> {
    const { found, steps } = this.#walk(block);
    return this.#chain(found, steps, signal);
  }

  /** The number of the block that lies `steps` packages before a block of the newest, each coded against the next; undefined where there is none. */
  earlierBlock(block: number, steps: number): number | undefined {
    let number = block;
    for (let step = 0; step < steps && number >= 0; step++) number = this.#lineage.previousBlock(step, number);
    return number < 0 ? undefined : number;
  }

  /** A block's elements in the file's own dtype, little-endian; they may lie in memory taken from `memory`. Also of a block that is decoded for copies. */
  async elements(block: number, signal?: AbortSignal, memory?: BlockMemory): Promise<Uint8Array> {
    const copied = this.#copied(block);
    if (copied?.widened === true) return this.#widened(copied, signal);
    if (copied?.part !== undefined) return readParts([copied.reader.located(copied.part)], signal);
    if (copied !== undefined) return copied.reader.elements(copied.block, signal, memory);
    const { coding } = this.#planned(0, block);
    if (coding.kind === 'residual') return this.#residualElements(block, coding.dtype, { signal, memory });
    const decoded = await this.decoded(block, signal);
    if (decoded.kind === 'exact') return decoded.bytes;
    if (decoded.kind === 'residual') throw corruptPackage('a block changed its kind');
    const codebook = this.#codebook(0, block);
    const { levels, protectedWords } = decoded.levels;
    return this.#core.dequantize(
      levels,
      {
        dtype: codebook.dtype,
        table: paddedTable(codebook),
        levelCount: codebook.levelCount,
        protectedWords,
        ...(codebook.protectedLevel === undefined ? {} : { protectedLevel: codebook.protectedLevel }),
      },
      signal,
    );
  }

  /** Where the elements of a part of a block are decoded: for copies and kept tensors in blocks of the tensors that they are. */
  located(part: BlockPart): LocatedPart {
    const copied = this.#copied(part.block);
    if (copied === undefined || copied.widened === true) return { ...part, reader: this };
    return copied.reader.located(copied.part ?? { ...part, block: copied.block });
  }

  /** Also of a block that is decoded for copies. */
  elementCount(block: number): number {
    const { blocks } = this.file.plan;
    const copied = block < blocks.length ? undefined : this.#copied(block)!;
    return copied === undefined ? blocks[block]!.elementCount : (copied.part?.elementCount ?? copied.reader.elementCount(copied.block));
  }

  keyOf(block: number): string {
    return this.#key(0, block);
  }

  storedIn(block: number): string {
    const copied = this.#copied(block);
    if (copied === undefined) return this.keyOf(block);
    return copied.reader.storedIn(copied.part?.block ?? copied.block);
  }

  /** The dtype of a block's elements where it is one that can be converted. */
  quantizableDtype(block: number): QuantizableDtype | undefined {
    const copied = this.#copied(block);
    if (copied !== undefined) return copied.widened === true ? 'F32' : copied.reader.quantizableDtype(copied.block);
    const { segments } = this.file.plan.blocks[block]!;
    const { dtype } = this.file.plan.layout.tensors[segments[0]!.tensor]!;
    return isQuantizable(dtype) ? dtype : undefined;
  }

  /** What is decoded for a block of copies or kept tensors; undefined for a block of the file's own. */
  #copied(block: number): CopiedFrom | undefined {
    const { plan, fileNumber } = this.file;
    const copied = plan.copied[block - plan.blocks.length];
    if (copied === undefined) return undefined;
    if ('kept' in copied) {
      const reader = this.#readerOf(copied.kept.file, 1);
      const part = partOf(reader.file.plan, copied.kept.tensor, copied);
      return { reader, block: part.block, part };
    }
    return { ...copied, reader: copied.file === fileNumber ? this : this.#readerOf(copied.file) };
  }

  async #widened({ reader, block }: CopiedFrom, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const dtype = reader.quantizableDtype(block);
    if (dtype === undefined) throw corruptPackage('a widened copy is of a tensor that is none of numbers');
    const elements = await reader.elements(block, signal);
    return dtype === 'F32' ? elements : this.#core.convert(elements, dtype, 'F32', signal);
  }

  async #levels(block: number, signal: AbortSignal | undefined): Promise<DecodedBlock> {
    const { found, steps } = this.#walk(block);
    const payloads = await Promise.all(steps.map(({ step, number }) => this.#payload(step, number, signal)));
    let decoded = found?.kind === 'levels' ? found.levels : undefined;
    for (let i = steps.length - 1; i >= 0; i--) {
      const { step, number } = steps[i]!;
      decoded = await this.#decodeLevels(payloads[i]!, step, number, decoded, signal);
    }
    return this.#keep(block, { kind: 'levels', levels: decoded! });
  }

  #decodeLevels(
    payload: Uint8Array,
    step: number,
    number: number,
    previous: DecodedLevels | undefined,
    signal: AbortSignal | undefined,
  ): Promise<DecodedLevels> {
    const codebook = this.#codebook(step, number);
    const before = this.#lineage.previousBlock(step, number);
    const modulus = levelModulus(codebook, before < 0 ? undefined : this.#codebook(step + 1, before));
    const { elementCount } = this.#planned(step, number);
    const tables = this.#lineage.steps[step]!.package.tables(codebook.tableSet);
    return decodeLevelBlock(payload, { tables, codebook, elementCount, modulus, previous: previous?.levels }, signal);
  }

  async #residual(block: number, signal: AbortSignal | undefined): Promise<DecodedBlock> {
    const { found, steps } = this.#walk(block);
    if (found?.kind === 'residual' && steps.length === 0) return found;
    const state = await this.#core.residualState(await this.#chain(found, steps, signal), signal);
    return this.#keep(block, { kind: 'residual', state });
  }

  /**
   * A residual block's elements. The state of a block that several tensors share is kept, for whoever reads them one by one; a large tensor is read
   * from one end to the other, and nobody comes back to its blocks.
   */
  async #residualElements(
    block: number,
    dtype: QuantizableDtype,
    { signal, memory }: { readonly signal?: AbortSignal | undefined; readonly memory?: BlockMemory | undefined },
  ): Promise<Uint8Array> {
    const { found, steps } = this.#walk(block);
    const planned = this.#planned(0, block);
    if (planned.segments.length > 1 || steps.length === 0) {
      const decoded = await this.#residual(block, signal);
      if (decoded.kind !== 'residual') throw corruptPackage('a block changed its kind');
      return latticeElements(this.#core, decoded.state, this.#residualFile(0), planned, signal);
    }
    const chain = await this.#chain(found, steps, signal);
    return this.#core.residualElements(chain, dtype, { signal, into: memory?.take(planned.elementCount * dtypeBytes[dtype]) });
  }

  /** The way from `found`, or from where the block starts, through `steps`, which are newest first. */
  async #chain(found: DecodedBlock | undefined, steps: readonly WalkStep[], signal: AbortSignal | undefined): Promise<ResidualChain> {
    // The checkpoints of a super-step have one payload, which the first of them reads.
    const firsts = steps.map(({ step }, i) => i + (this.#part(step)?.position ?? 0));
    const payloads = await Promise.all(steps.map(async ({ step, number }, i) => (firsts[i] === i ? this.#payload(step, number, signal) : undefined)));
    const start = found?.kind === 'residual' ? found.state : undefined;
    const links = steps.map(({ step, number }, i) => {
      const part = this.#part(step);
      const first = steps[firsts[i]!]!;
      return residualLink(this.#residualFile(step), this.#planned(step, number), {
        tables: this.#lineage.steps[first.step]!.package.contextTables(),
        payload: payloads[firsts[i]!]!,
        starts: start === undefined && i === steps.length - 1,
        part: part && { tuples: part.superStep.tuples, position: part.position },
      });
    });
    if (start !== undefined) return { links: links.reverse(), start };
    const { step, number } = steps.at(-1)!;
    return { links: links.reverse(), start: blockOrigins(this.#residualFile(step), this.#planned(step, number)) };
  }

  #residualFile(step: number): ResidualFile {
    const { package: owner, fileNumber } = this.#lineage.steps[step]!;
    const file = owner.residualFile(fileNumber);
    if (file === undefined) throw corruptPackage('a residual block is in a file without residual tensors');
    return file;
  }

  async #exact(block: number, signal: AbortSignal | undefined): Promise<DecodedBlock> {
    const { found, steps } = this.#walk(block);
    const payloads: Uint8Array[] = [];
    for (const { step, number } of steps) {
      const payload = await this.#payload(step, number, signal);
      payloads.push(payload);
      if (this.#core.exactIsStandaloneSync(payload)) break;
    }
    let bytes = payloads.length === steps.length && found?.kind === 'exact' ? found.bytes : undefined;
    if (bytes === undefined && !this.#core.exactIsStandaloneSync(payloads.at(-1)!)) bytes = await this.#gathered(steps.at(-1)!, signal);
    for (let i = payloads.length - 1; i >= 0; i--) {
      const payload = payloads[i]!;
      const standalone = this.#core.exactIsStandaloneSync(payload);
      if (!standalone && bytes === undefined) throw corruptPackage('an exact block refers to an ancestor block that is not there');
      const { coding, elementCount } = this.#planned(steps[i]!.step, steps[i]!.number);
      if (coding.kind !== 'exact') throw corruptPackage('a block changed its kind');
      bytes =
        payload[0] === roundedMode
          ? await this.#decodeMaster(payload, steps[i]!, signal)
          : await decodeExactBlock(this.#core, payload, { elementKind: coding.elementKind, elementCount, previous: standalone ? undefined : bytes }, signal);
    }
    return this.#keep(block, { kind: 'exact', bytes: bytes! });
  }

  /** The elements of the ancestor that an exact block without a previous block may be coded against; undefined where one of its tensors has none, or they lie in too many blocks. */
  async #gathered({ step, number }: WalkStep, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    const parts = this.#lineage.gathered(step, number);
    if (parts === undefined) return undefined;
    const located = parts.map((part) => this.#readerOf(part.file, step + 1).located(part));
    return countBlocks(located) > gatheredBlocksMax ? undefined : readParts(located, signal);
  }

  /** The elements of a block with masters, which lie beside tensors of the same package. */
  async #decodeMaster(payload: Uint8Array, { step, number }: WalkStep, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const { package: owner, fileNumber } = this.#lineage.steps[step]!;
    const { content } = owner.index.files[fileNumber]!;
    const planned = this.#planned(step, number);
    const mayBe = content.type === 'safetensors' && planned.coding.kind === 'exact' && planned.coding.elementKind === 'f32';
    if (!mayBe) throw corruptPackage('a block of other elements than F32 is told by what was rounded from it');
    const parts = roundedParts(content.codings, planned, (file) => owner.plan(file));
    const besides = parts.flatMap(({ beside }) => (beside === undefined ? [] : [this.#readerOf(beside.file, step).located(beside)]));
    if (besides.length === 0) throw corruptPackage('a block is told by what was rounded from it, and nothing was');
    return this.#core.roundedDecode(payload, { segments: parts, beside: await readParts(besides, signal) }, signal);
  }

  /** The elements of a block of optimizer state. */
  async #state(block: number, signal: AbortSignal | undefined): Promise<DecodedBlock> {
    const { found, steps } = this.#walk(block);
    if (found?.kind === 'exact' && steps.length === 0) return found;
    const payloads: Uint8Array[] = [];
    for (const { step, number } of steps) {
      const payload = await this.#payload(step, number, signal);
      payloads.push(payload);
      if (!this.#goesOn(payload, { step, number })) break;
    }
    let bytes = payloads.length === steps.length && found?.kind === 'exact' ? found.bytes : undefined;
    for (let i = payloads.length - 1; i >= 0; i--) {
      const needsPrevious = this.#goesOn(payloads[i]!, steps[i]!);
      if (needsPrevious && bytes === undefined) throw corruptPackage('a block of second moments refers to an ancestor block that is not there');
      bytes = await this.#decodeState(payloads[i]!, steps[i]!, needsPrevious ? bytes : undefined, signal);
    }
    return this.#keep(block, { kind: 'exact', bytes: bytes! });
  }

  /** Whether a payload needs the elements of the ancestor's block: only second moments may. */
  #goesOn(payload: Uint8Array, { step, number }: WalkStep): boolean {
    const { coding } = this.#planned(step, number);
    return coding.kind === 'state' && coding.form === 'secondMoment' && this.#core.stateNeedsPreviousSync(payload);
  }

  async #decodeState(payload: Uint8Array, { step, number }: WalkStep, previous: Uint8Array | undefined, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const { plan } = this.#lineage.steps[step]!;
    const planned = this.#planned(step, number);
    if (planned.coding.kind !== 'state') throw corruptPackage('a block changed its kind');
    const { form } = planned.coding;
    // First moments do not go on from an ancestor, so they are those of the newest package.
    const beside = form === 'firstMoment' ? await this.#beside(planned, signal) : previous;
    return this.#core.stateDecode(payload, { form, segments: stateSegments(plan, planned), beside }, signal);
  }

  /** The second moments of a block of first moments, of the newest package. */
  async #beside(planned: PlannedBlock, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const { plan, fileNumber, package: owner } = this.file;
    const { content } = owner.index.files[fileNumber]!;
    if (content.type !== 'safetensors') throw corruptPackage('first moments in a file without tensors');
    return readParts(
      besideParts(plan, content.codings, planned).map((part) => this.located(part)),
      signal,
    );
  }

  #part(step: number): SuperStepPart | undefined {
    return this.#lineage.steps[step]!.package.index.part;
  }

  /**
   * The block and those it is coded against, newest first, up to the first one in the cache (`found`, not in `steps`) that the next can go on from: in a super-step
   * contexts are those of the state before its first checkpoint.
   */
  #walk(block: number): { found: DecodedBlock | undefined; steps: WalkStep[] } {
    const steps: WalkStep[] = [];
    for (let step = 0, number = block; number >= 0; number = this.#lineage.previousBlock(step, number), step++) {
      const isInside = step > 0 && this.#planned(step, number).coding.kind === 'residual' && (this.#part(step - 1)?.position ?? 0) > 0;
      const found = isInside ? undefined : this.#cache.get(this.#key(step, number));
      if (found !== undefined) return { found, steps };
      steps.push({ step, number });
    }
    return { found: undefined, steps };
  }

  async #payload(step: number, number: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    if (signal?.aborted === true) throw new FirnError('cancelled', 'The restore was cancelled.');
    const { bytes, entries } = this.#lineage.steps[step]!;
    const { offsetBytes, lengthBytes, crc32c } = entries[number]!;
    const payload = await bytes.read(offsetBytes, lengthBytes);
    if (this.#core.crc32cSync(payload) !== crc32c) throw corruptPackage(`the checksum of block ${number} does not match`);
    return payload;
  }

  #keep(block: number, decoded: DecodedBlock): DecodedBlock {
    this.#cache.set(this.#key(0, block), decoded, memoryBytes(decoded));
    return decoded;
  }

  #key(step: number, number: number): string {
    const { package: owner, fileNumber } = this.#lineage.steps[step]!;
    return `${owner.index.id}/${fileNumber}/${number}`;
  }

  #planned(step: number, number: number): PlannedBlock {
    return this.#lineage.steps[step]!.plan.blocks[number]!;
  }

  #codebook(step: number, number: number): PackageCodebook {
    const { coding } = this.#planned(step, number);
    if (coding.kind !== 'levels') throw corruptPackage('a block changed its kind');
    return this.#lineage.steps[step]!.package.index.codebooks[coding.codebook]!;
  }
}

/** What a decoded block takes in the cache. */
function memoryBytes(decoded: DecodedBlock): number {
  switch (decoded.kind) {
    case 'levels':
      return decoded.levels.levels.length + decoded.levels.protectedWords.byteLength;
    case 'residual':
      return decoded.state.values.byteLength + decoded.state.activity.byteLength;
    case 'exact':
      return decoded.bytes.length;
  }
}
