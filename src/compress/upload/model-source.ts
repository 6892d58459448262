import { dtypeBytes, isQuantizable, type QuantizableDtype } from '../../checkpoint/dtype.ts';
import type { FileRole } from '../../checkpoint/role.ts';
import type { SafetensorsLayout, TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import type { NativeCore, WeightBlock, WeightMoments } from '../../native/core.ts';
import type { BlockSegment, PlannedBlock } from '../../package/blocks/block-plan.ts';
import { BlockMemory } from '../../restore/block-memory.ts';
import { newCacheCounts, type CacheCounts } from '../../restore/byte-cache.ts';
import { roomBytes, type ObjectReader } from '../../store/object-store.ts';

/**
 * An uploaded file under its staged object. A file that is not safetensors is one nameless tensor of bytes
 * (`planBlob`).
 */
export interface SourceFile {
  readonly path: string;
  readonly role: FileRole;
  readonly type: 'safetensors' | 'blob';
  readonly sizeBytes: number;
  /** Digest of the uploaded bytes. */
  readonly sha256: string;
  readonly layout: SafetensorsLayout;
  readonly reader: ObjectReader;
}

export interface WeightsOptions {
  /** Whether gradients are read, too, if there are some; by default they are. */
  readonly gradients?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Names under which a device holds weights, and whether they were sent. */
export interface WeightNames {
  weights(file: number, segments: readonly BlockSegment[]): string;
  sent(file: number, segments: readonly BlockSegment[], isThere: boolean): void;
}

/** Gradient averages by tensor name, over all sensitivity files. */
export type GradientTensors = ReadonlyMap<string, GradientTensor>;

interface GradientTensor {
  readonly entry: TensorEntry;
  readonly reader: ObjectReader;
}

/**
 * Reads a checkpoint's files block by block from staged objects, which stay open until their owner closes them
 * (`loadSource`). A model of at most `cacheMaxBytes`, with its gradients, is cached, so it is read once for a whole
 * search. A larger one streams through reused memory, which is cheaper than caching a part of it.
 */
export class ModelSource {
  readonly files: readonly SourceFile[];
  private readonly gradients: Map<string, GradientTensor>;
  private readonly core: NativeCore;
  private readonly keeps: boolean;
  private readonly cache = new Map<string, Uint8Array>();
  private readonly blockMoments = new Map<string, readonly WeightMoments[]>();
  private readonly memory = new BlockMemory();
  private readonly counts: CacheCounts;
  private onDevice: WeightNames | undefined;

  constructor(
    files: readonly SourceFile[],
    gradients: GradientTensors,
    core: NativeCore,
    cacheMaxBytes: number,
    counts = newCacheCounts(),
  ) {
    this.counts = counts;
    this.files = files;
    this.gradients = new Map(gradients);
    this.core = core;
    const bytes = [
      ...files.map(({ sizeBytes }) => sizeBytes),
      ...[...gradients.values()].map(({ entry }) => entry.endBytes - entry.startBytes),
    ];
    this.keeps = bytes.reduce((sum, size) => sum + size, 0) <= cacheMaxBytes;
  }

  get hasGradients(): boolean {
    return this.gradients.size > 0;
  }

  /** Names for weights on a device, of which the first pass makes use. Call before blocks are read. */
  holdOnDevice(names: WeightNames): void {
    this.onDevice = names;
  }

  /**
   * Gives each tensor that is a key the gradients of the tensor that is its value, or none if that has none.
   * Bit-identical tensors are then pruned and protected alike (tied weights have one gradient, under one name). Call
   * before blocks are read.
   */
  shareGradients(twins: ReadonlyMap<string, string>): void {
    for (const [name, twin] of twins) {
      const gradient = this.gradients.get(twin);
      if (gradient === undefined) this.gradients.delete(name);
      else this.gradients.set(name, gradient);
    }
  }

  /**
   * The block's elements, segments one after another, as uploaded. They may lie in memory taken from `memory`, to which
   * the caller gives them back.
   */
  async readBlock(file: number, block: PlannedBlock, signal?: AbortSignal, memory?: BlockMemory): Promise<Uint8Array> {
    const { dtype } = this.files[file]!.layout.tensors[block.segments[0]!.tensor]!;
    const room = this.roomFor(block, dtypeBytes[dtype], memory);
    return room === undefined
      ? this.cached(`w ${file} ${blockKey(block)}`, () => this.readElements(file, block, signal))
      : this.readElements(file, block, signal, room);
  }

  /**
   * The block's weights with their gradients. A sensitivity file may leave tensors out. A block of only such tensors
   * has no gradients; next to others their gradients are NaN, which no threshold prunes or protects. Zeros would be
   * pruned first.
   */
  async readWeights(file: number, block: PlannedBlock, signal?: AbortSignal): Promise<WeightBlock> {
    return this.pairOf(file, block, await this.readBlock(file, block, signal), { signal });
  }

  /**
   * Calls `use` with the result of `readWeights`, without gradients if they are not wanted. The weights and gradients
   * are valid only until `use` ends: their memory is reused.
   */
  async withWeights<T>(
    file: number,
    block: PlannedBlock,
    use: (pair: WeightBlock) => Promise<T>,
    { gradients: wanted = true, signal }: WeightsOptions = {},
  ): Promise<T> {
    const { memory } = this;
    const weights = await this.readBlock(file, block, signal, memory);
    const pair = wanted
      ? await this.pairOf(file, block, weights, { signal, memory })
      : { weights, weightDtype: this.weightDtype(file, block) };
    try {
      return await use(pair);
    } finally {
      memory.give(pair.weights);
      if (pair.gradients !== undefined) memory.give(pair.gradients);
    }
  }

  /**
   * Sums over the segments of a block. Computed once and cached, because reading costs more. This is the first pass
   * over the weights: while the next blocks are read, a device adds these up, and holds them under their names from
   * then on.
   */
  async moments(file: number, block: PlannedBlock, signal?: AbortSignal): Promise<readonly WeightMoments[]> {
    const key = `${file} ${blockKey(block)}`;
    const known = this.blockMoments.get(key);
    if (known !== undefined) return known;
    const counts = Uint32Array.from(block.segments, ({ elementCount }) => elementCount);
    const name = this.onDevice?.weights(file, block.segments);
    const sums = (pair: WeightBlock): Promise<WeightMoments[]> =>
      this.core.weightMoments(pair, counts, { name, signal });
    const found = await this.withWeights(file, block, sums, { signal });
    this.onDevice?.sent(file, block.segments, true);
    this.blockMoments.set(key, found);
    return found;
  }

  /** A run of elements of a tensor of any dtype, as uploaded. */
  readRun(file: number, run: BlockSegment, signal?: AbortSignal): Promise<Uint8Array> {
    const { layout, reader } = this.files[file]!;
    const { dtype, startBytes } = layout.tensors[run.tensor]!;
    return reader.read(startBytes + run.firstElement * dtypeBytes[dtype], run.elementCount * dtypeBytes[dtype], signal);
  }

  /** A block's elements as F32. */
  async widen(
    { file, block }: { readonly file: number; readonly block: PlannedBlock },
    elements: Uint8Array,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const dtype = quantizable(this.files[file]!.layout.tensors[block.segments[0]!.tensor]!);
    return dtype === 'F32' ? elements : this.core.convert(elements, dtype, 'F32', signal);
  }

  private async readElements(
    file: number,
    block: PlannedBlock,
    signal?: AbortSignal,
    room?: Uint8Array,
  ): Promise<Uint8Array> {
    const { layout, reader } = this.files[file]!;
    const parts = await Promise.all(
      block.segments.map((segment) => {
        const entry = layout.tensors[segment.tensor]!;
        const bytes = dtypeBytes[entry.dtype];
        return reader.read(entry.startBytes + segment.firstElement * bytes, segment.elementCount * bytes, signal, room);
      }),
    );
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  private async pairOf(
    file: number,
    block: PlannedBlock,
    weights: Uint8Array,
    { signal, memory }: { readonly signal?: AbortSignal | undefined; readonly memory?: BlockMemory },
  ): Promise<WeightBlock> {
    const weightDtype = this.weightDtype(file, block);
    if (!this.hasGradientsOf(file, block)) return { weights, weightDtype };
    const gradients =
      memory === undefined || this.keeps || block.segments.length > 1
        ? await this.cached(`g ${file} ${blockKey(block)}`, () => this.readGradients(file, block, { signal }))
        : await this.readGradients(file, block, { signal, memory });
    return { weights, weightDtype, gradients, gradientDtype: 'F32' };
  }

  /** Whether `readWeights` gives gradients; these are F32. */
  hasGradientsOf(file: number, { segments }: PlannedBlock): boolean {
    const { tensors } = this.files[file]!.layout;
    return segments.some(({ tensor }) => this.gradients.has(tensors[tensor]!.name));
  }

  weightDtype(file: number, block: PlannedBlock): QuantizableDtype {
    return quantizable(this.files[file]!.layout.tensors[block.segments[0]!.tensor]!);
  }

  /** Memory for a read of a block of one tensor; undefined for others, and if the model is cached. */
  private roomFor(block: PlannedBlock, elementBytes: number, memory: BlockMemory | undefined): Uint8Array | undefined {
    if (this.keeps || block.segments.length > 1) return undefined;
    return memory?.take(roomBytes(block.elementCount * elementBytes));
  }

  private async readGradients(
    file: number,
    block: PlannedBlock,
    { signal, memory }: { readonly signal?: AbortSignal | undefined; readonly memory?: BlockMemory },
  ): Promise<Uint8Array> {
    const parts = await Promise.all(
      block.segments.map(async (segment) => {
        const tensor = this.gradients.get(this.files[file]!.layout.tensors[segment.tensor]!.name);
        if (tensor === undefined) return new Uint8Array(new Float32Array(segment.elementCount).fill(Number.NaN).buffer);
        const bytes = dtypeBytes[tensor.entry.dtype];
        const raw = await tensor.reader.read(
          tensor.entry.startBytes + segment.firstElement * bytes,
          segment.elementCount * bytes,
          signal,
          this.roomFor(block, bytes, memory),
        );
        if (tensor.entry.dtype === 'F32') return raw;
        const floats = await this.core.convert(raw, quantizable(tensor.entry), 'F32', signal);
        memory?.give(raw);
        return floats;
      }),
    );
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  private async cached(key: string, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const known = this.cache.get(key);
    if (known !== undefined) {
      this.counts.hits += 1;
      return known;
    }
    this.counts.misses += 1;
    const bytes = await read();
    if (this.keeps) this.cache.set(key, bytes);
    return bytes;
  }
}

function blockKey(block: PlannedBlock): string {
  const first = block.segments[0]!;
  return `${first.tensor} ${first.firstElement} ${block.elementCount}`;
}

function quantizable(entry: TensorEntry): QuantizableDtype {
  if (!isQuantizable(entry.dtype))
    throw new TypeError(`tensor ${entry.name} of dtype ${entry.dtype} has no quantized form`);
  return entry.dtype;
}
