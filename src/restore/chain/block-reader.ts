import { FirnError } from '../../checkpoint/firn-error.ts';
import type { NativeCore } from '../../native/core.ts';
import { isQuantizable, type QuantizableDtype } from '../../checkpoint/dtype.ts';
import { codingRuleOf } from '../../package/codings/all-codings.ts';
import { corruptPackage } from '../../package/corrupt-package.ts';
import { partOf, type BlockPart } from '../../package/blocks/plan-file.ts';
import type { PackageCodebook, MergedPackagePart } from '../../package/package-index.ts';
import type { BlockMemory } from '../block-memory.ts';
import type { ByteCache } from '../byte-cache.ts';
import { decoderOf } from './decoders/all-decoders.ts';
import type { BlockDecoder, BlockWalk, WalkStep } from './decoders/block-decoder.ts';
import { memoryBytes, type DecodedBlock } from './decoders/decoded-block.ts';
import type { FileLineage, LineageStep } from './file-lineage.ts';
import { readParts, type ElementReader, type LocatedPart } from './read-parts.ts';

export type { DecodedBlock } from './decoders/decoded-block.ts';

/** The elements that a copy or an inherited tensor refers to. */
interface CopiedFrom {
  readonly reader: BlockReader;
  readonly block: number;
  /** Range of elements in the block; absent: all of them. */
  readonly part?: BlockPart;
  readonly widened?: true;
}

/**
 * Decodes blocks of one file. It follows each block along the chain to a package in which the block needs no previous
 * one, or to a cached block. The decoder of the block's coding (decoders/) does the decoding. Every payload's CRC-32C
 * is checked first. Methods reject with `corrupt-package`, `cancelled`, `overloaded`, and the store's errors.
 */
export class BlockReader implements ElementReader {
  readonly #core: NativeCore;
  readonly #cache: ByteCache<DecodedBlock>;
  readonly #lineage: FileLineage;
  readonly #readerOf: (fileNumber: number, step?: number) => BlockReader;

  /**
   * `readerOf` gives the reader of another file in the newest package, or in the package `step` places before it.
   * Copies, master weights, inherited tensors and gathered blocks need it.
   */
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

  /** A decoded block before dequantization. */
  async decoded(block: number, signal?: AbortSignal): Promise<DecodedBlock> {
    return this.#decode(block, this.#walk(block), signal);
  }

  /**
   * The walk to a block, from a cached block or from the block's start. A later checkpoint can be encoded against it
   * without decoding the block first.
   */
  walk(block: number): BlockWalk {
    return this.#walk(block);
  }

  /**
   * Number of the previous block `steps` packages before the newest one, following `previousBlock` from package to
   * package; undefined if there is none.
   */
  earlierBlock(block: number, steps: number): number | undefined {
    let number = block;
    for (let step = 0; step < steps && number >= 0; step++) number = this.#lineage.previousBlock(step, number);
    return number < 0 ? undefined : number;
  }

  /**
   * A block's elements in the file's own dtype, little-endian; they may lie in memory taken from `memory`. Accepts
   * blocks of copies and inherited tensors too.
   */
  async elements(block: number, signal?: AbortSignal, memory?: BlockMemory): Promise<Uint8Array> {
    const copied = this.#copied(block);
    if (copied?.widened === true) return this.#widened(copied, signal);
    if (copied?.part !== undefined) return readParts([copied.reader.located(copied.part)], signal);
    if (copied !== undefined) return copied.reader.elements(copied.block, signal, memory);
    const walk = this.#walk(block);
    const decoder = this.#decoderOf(block);
    const passing = decoder.passing?.(walk, { signal, memory });
    if (passing !== undefined) return passing;
    return decoder.elements(await this.#decode(block, walk, signal), walk, signal);
  }

  /**
   * The reader and block that hold the elements of a part. For copies and inherited tensors these are the reader and
   * block of the original.
   */
  located(part: BlockPart): LocatedPart {
    const copied = this.#copied(part.block);
    if (copied === undefined || copied.widened === true) return { ...part, reader: this };
    const firstElement = (copied.part?.firstElement ?? 0) + part.firstElement;
    return copied.reader.located({ ...part, block: copied.block, firstElement });
  }

  /** Accepts blocks of copies and inherited tensors too. */
  elementCount(block: number): number {
    const { blocks } = this.file.plan;
    const copied = block < blocks.length ? undefined : this.#copied(block)!;
    return copied === undefined
      ? blocks[block]!.elementCount
      : (copied.part?.elementCount ?? copied.reader.elementCount(copied.block));
  }

  keyOf(block: number): string {
    return this.#key(0, block);
  }

  storedIn(block: number): string {
    const copied = this.#copied(block);
    if (copied === undefined) return this.keyOf(block);
    return copied.reader.storedIn(copied.part?.block ?? copied.block);
  }

  /** The dtype of a block's elements, or undefined if it cannot be converted. */
  quantizableDtype(block: number): QuantizableDtype | undefined {
    const copied = this.#copied(block);
    if (copied !== undefined) return copied.widened === true ? 'F32' : copied.reader.quantizableDtype(copied.block);
    const { segments } = this.file.plan.blocks[block]!;
    const { dtype } = this.file.plan.layout.tensors[segments[0]!.tensor]!;
    return isQuantizable(dtype) ? dtype : undefined;
  }

  /** The source of a block of copies or inherited tensors; undefined for a block with a payload of its own. */
  #copied(block: number): CopiedFrom | undefined {
    const { plan, fileNumber } = this.file;
    const copied = plan.copied[block - plan.blocks.length];
    if (copied === undefined) return undefined;
    if ('inherited' in copied) {
      const reader = this.#readerOf(copied.inherited.file, 1);
      const part = partOf(reader.file.plan, copied.inherited.tensor, copied);
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

  async #decode(block: number, walk: BlockWalk, signal: AbortSignal | undefined): Promise<DecodedBlock> {
    const decoded = await this.#decoderOf(block).decode(walk, signal);
    // A block without steps came from the cache.
    return walk.steps.length === 0 ? decoded : this.#keep(block, decoded);
  }

  #decoderOf(block: number): BlockDecoder {
    return decoderOf(this.file.plan.blocks[block]!.coding.kind, this.#core);
  }

  #part(step: number): MergedPackagePart | undefined {
    return this.#lineage.steps[step]!.package.index.part;
  }

  /**
   * The block and the previous blocks it needs, newest first, up to the first usable cached one (`found`, not in
   * `steps`). Inside a merged package a cached block is usable only before the package's first checkpoint, because its
   * contexts are those of that state.
   */
  #walk(block: number): BlockWalk {
    const core = this.#core;
    const newest = this.#walkStep(0, block);
    const steps: WalkStep[] = [];
    for (let step = 0, number = block; number >= 0; number = this.#lineage.previousBlock(step, number), step++) {
      const at = step === 0 ? newest : this.#walkStep(step, number);
      const isInside =
        step > 0 && codingRuleOf(at.planned.coding).isShared && (this.#part(step - 1)?.position ?? 0) > 0;
      const found = isInside ? undefined : this.#cache.get(this.#key(step, number));
      if (found !== undefined) return { core, found, steps, newest };
      steps.push(at);
    }
    return { core, found: undefined, steps, newest };
  }

  #walkStep(step: number, number: number): WalkStep {
    const { package: owner, fileNumber, plan } = this.#lineage.steps[step]!;
    const lineage = this.#lineage;
    const before = lineage.steps[step + 1];
    return {
      step,
      planned: plan.blocks[number]!,
      package: owner,
      fileNumber,
      plan,
      part: this.#part(step),
      packageBefore: before?.package,
      get previous() {
        return before?.plan.blocks[lineage.previousBlock(step, number)];
      },
      gathered: () => lineage.gathered(step, number),
      payload: (signal) => this.#payload(step, number, signal),
      located: (part, back = 0) => {
        const reader = step + back === 0 && part.file === fileNumber ? this : this.#readerOf(part.file, step + back);
        return reader.located(part);
      },
    };
  }

  async #payload(step: number, number: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    if (signal?.aborted === true) throw new FirnError('cancelled', 'The restore was cancelled.');
    const { bytes, entries } = this.#lineage.steps[step]!;
    const { offsetBytes, lengthBytes, crc32c } = entries[number]!;
    const payload = await bytes.read(offsetBytes, lengthBytes);
    if (this.#core.crc32cSync(payload) !== crc32c)
      throw corruptPackage(`the checksum of block ${number} does not match`);
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
}
