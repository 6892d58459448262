import type { QuantizableDtype } from '../../checkpoint/dtype.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { SafetensorsLayout, TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import type { NativeCore } from '../../native/core.ts';
import type { DecodeAhead } from '../decode-ahead.ts';
import { BlockMemory } from '../block-memory.ts';
import type { BlockReader } from './block-reader.ts';
import { dtypeView } from '../range/dtype-view.ts';
import { planRange } from '../range/plan-range.ts';
import { streamRange, type RangeSource, type StreamOptions } from '../range/stream-range.ts';

/**
 * From this length on, in bytes, a range reads nearly all of its blocks whole. Blocks that one tensor fills are then
 * not cached.
 */
const longRangeBytes = 8 * 1024 * 1024;

/** What all files of a process share. */
export interface FileContext {
  readonly core: NativeCore;
  /** Absent: each stream has a limit of its own only. */
  readonly ahead?: DecodeAhead | undefined;
}

/** A file of a package, rebuilt while it is read. Its layout and length are known from the index alone. */
export class RestoredFile {
  readonly layout: SafetensorsLayout;
  readonly #core: NativeCore;
  readonly #blocks: BlockReader;
  readonly #ahead: DecodeAhead | undefined;
  readonly #target: QuantizableDtype | undefined;

  constructor(ctx: FileContext, blocks: BlockReader, target?: QuantizableDtype) {
    this.#core = ctx.core;
    this.#ahead = ctx.ahead;
    this.#blocks = blocks;
    this.#target = target;
    const { layout } = blocks.file.plan;
    this.layout = target === undefined ? layout : dtypeView(layout, target);
  }

  get sizeBytes(): number {
    return this.layout.sizeBytes;
  }

  /** True for a safetensors file; any other has no tensors and no views. */
  get isSafetensors(): boolean {
    return this.#blocks.file.package.index.files[this.#blocks.file.fileNumber]!.content.type === 'safetensors';
  }

  /**
   * Bytes `startBytes`..`endBytes` (exclusive) in order, in pieces of at most 1 MiB that must not be written to. Throws
   * `range-not-satisfiable` at the call; the iteration rejects with `corrupt-package`, `cancelled`, `overloaded`, and
   * the store's errors.
   */
  stream(startBytes = 0, endBytes = this.sizeBytes, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const isLong = endBytes - startBytes >= longRangeBytes;
    return this.#stream(startBytes, endBytes, { signal, ...(isLong && { memory: new BlockMemory(0) }) });
  }

  /**
   * The whole file, like `stream`, but each piece is valid only until the next one is requested: its memory is used
   * again, which is faster.
   */
  passing(signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    return this.#stream(0, this.sizeBytes, { signal, memory: new BlockMemory() });
  }

  #stream(startBytes: number, endBytes: number, options: StreamOptions): AsyncGenerator<Uint8Array> {
    const plan = planRange(this.layout, this.#blocks.file.plan, startBytes, endBytes);
    const source: RangeSource = {
      headerBytes: this.layout.headerBytes,
      elements: (block, signal, memory) => this.#elements(block, signal, memory),
    };
    return streamRange(source, plan, { ...options, ahead: this.#ahead });
  }

  /** The tensor's place in the file; `stream(startBytes, endBytes)` gives its data alone. Throws `not-found`. */
  tensor(name: string): TensorEntry {
    const entry = this.isSafetensors ? this.layout.tensors.find((tensor) => tensor.name === name) : undefined;
    if (entry === undefined) throw new FirnError('not-found', 'The file has no tensor of this name.');
    return entry;
  }

  /**
   * The same file with its floating point tensors as `dtype`. Throws `invalid-request` for a file that is not
   * safetensors.
   */
  view(dtype: QuantizableDtype): RestoredFile {
    if (!this.isSafetensors)
      throw new FirnError('invalid-request', 'Only safetensors files can be converted to another dtype.');
    return new RestoredFile({ core: this.#core, ahead: this.#ahead }, this.#blocks, dtype);
  }

  async #elements(block: number, signal: AbortSignal, memory: BlockMemory | undefined): Promise<Uint8Array> {
    const dtype = this.#blocks.quantizableDtype(block);
    if (this.#target === undefined || dtype === undefined || dtype === this.#target)
      return this.#blocks.elements(block, signal, memory);
    return this.#core.convert(await this.#blocks.elements(block, signal), dtype, this.#target, signal);
  }
}
