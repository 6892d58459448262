import { dtypeBytes, isQuantizable } from '../../../src/checkpoint/dtype.ts';
import type { LatticeState, NativeCore } from '../../../src/native/core.ts';
import { readStoredIndex } from '../../../src/package/open-package.ts';
import type { BlockEntry, PackageCodebook } from '../../../src/package/package-index.ts';
import { scaleOf, stepUnits, type ResidualTensor } from '../../../src/package/residual-tensor.ts';
import type { BlockReader, DecodedBlock } from '../../../src/restore/chain/block-reader.ts';
import { ByteCache } from '../../../src/restore/byte-cache.ts';
import { PackageChain, type ChainContext, type ChainedPackage } from '../../../src/restore/chain/package-chain.ts';
import { openPlainFile } from '../../../src/restore/plain-file-reader.ts';
import { floatsOf } from './checkpoint-weights.ts';

/** One quantized tensor of a package, decoded. */
export interface StoredTensor {
  readonly name: string;
  /** Levels of a codebook, or the number of steps that each weight moved. */
  readonly bins: Int32Array;
  /** Key that groups the tensors of one codebook. */
  readonly codebook: number;
  /** Number of possible bins; steps have no limit. */
  readonly levelCount: number;
  /** For residual tensors: the quantization step in weights' units. */
  readonly step?: number;
  /** Rebuilt values, as fp32. */
  readonly values: Float32Array;
}

/** A package decoded for its figures. */
export interface StoredCheckpoint {
  /** Number in the series of its ancestor; undefined for a base. */
  readonly ancestor: number | undefined;
  readonly tensors: readonly StoredTensor[];
  /** Bytes of bins with their tables: payloads of quantized blocks without protected words, token or context tables. */
  readonly binBytes: number;
}

/** Cache of decoded blocks for descendants; it holds those of a bench's series. */
const blockCacheMaxBytes = 8 * 1024 ** 3;
const indexCacheMaxBytes = 1024 ** 3;
/** Number of passes; their median counts. */
const timedPasses = 5;

/**
 * The downloaded packages of a run's checkpoints, in order. Every checkpoint is decoded with its ancestor's blocks in
 * the cache.
 */
export class StoredSeries {
  private readonly core: NativeCore;
  private readonly packages: readonly ChainedPackage[];

  private constructor(core: NativeCore, packages: readonly ChainedPackage[]) {
    this.core = core;
    this.packages = packages;
  }

  static async open(core: NativeCore, paths: readonly string[]): Promise<StoredSeries> {
    const packages = await Promise.all(
      paths.map(async (path) => {
        const reader = await openPlainFile(path);
        try {
          const { id, ancestorId } = await readStoredIndex(reader, core.crc32cSync);
          return { id, ancestorId, open: () => openPlainFile(path) };
        } finally {
          await reader.close();
        }
      }),
    );
    return new StoredSeries(core, packages);
  }

  /**
   * Seconds to rebuild the files of every checkpoint from its own package and the decoded blocks of its ancestor: the
   * median of several passes.
   */
  async decodeSeconds(): Promise<number> {
    const seconds: number[] = [];
    for (let pass = 0; pass < timedPasses; pass += 1) {
      const ctx = this.context();
      let sum = 0;
      for (const entry of this.packages) {
        const chain = await PackageChain.open(ctx, this.chainOf(entry));
        const started = performance.now();
        for (const { path } of chain.files) for await (const piece of chain.file(path).stream()) void piece;
        sum += (performance.now() - started) / 1000;
        await chain.close();
      }
      seconds.push(sum);
    }
    return seconds.sort((a, b) => a - b)[timedPasses >> 1]!;
  }

  /** Every checkpoint with its bins, in order. */
  async decode(): Promise<StoredCheckpoint[]> {
    const ctx = this.context();
    const decoded: StoredCheckpoint[] = [];
    const statesOf: ReadonlyMap<string, TensorState>[] = [];
    for (const entry of this.packages) {
      const chain = await PackageChain.open(ctx, this.chainOf(entry));
      const ancestor =
        entry.ancestorId === undefined ? undefined : this.packages.findIndex(({ id }) => id === entry.ancestorId);
      const before = ancestor === undefined ? new Map<string, TensorState>() : statesOf[ancestor]!;
      const states = new Map<string, TensorState>();
      const own = { stored: [] as StoredTensor[], bytes: 0 };
      const { index } = chain.links[0]!.package;
      for (const { path } of chain.files)
        own.bytes += await this.decodeFile(chain.blocks(path), { before, states, stored: own.stored });
      const tableBytes = [...index.tableSets, ...(index.residual === undefined ? [] : [index.residual.tables])].reduce(
        (sum, table) => sum + table.length,
        0,
      );
      decoded.push({ ancestor, tensors: own.stored, binBytes: own.bytes + tableBytes });
      statesOf.push(states);
      await chain.close();
    }
    return decoded;
  }

  private context(): ChainContext {
    return { core: this.core, indexes: new ByteCache(indexCacheMaxBytes), blocks: new ByteCache(blockCacheMaxBytes) };
  }

  private chainOf(entry: ChainedPackage): ChainedPackage[] {
    const chain = [entry];
    for (let { ancestorId } = entry; ancestorId !== undefined;) {
      const ancestor = this.packages.find(({ id }) => id === ancestorId);
      if (ancestor === undefined) throw new Error(`the package ${ancestorId} is missing`);
      chain.push(ancestor);
      ancestorId = ancestor.ancestorId;
    }
    return chain;
  }

  /** Resolves to the bytes of the file's bins. */
  private async decodeFile(
    blocks: BlockReader,
    into: {
      readonly before: ReadonlyMap<string, TensorState>;
      readonly states: Map<string, TensorState>;
      readonly stored: StoredTensor[];
    },
  ): Promise<number> {
    const { plan, entries, fileNumber, package: owner } = blocks.file;
    const tensors = new Map<number, { bins: Int32Array; values: Float32Array; state: Int32Array; codebook: number }>();
    let binBytes = 0;
    for (const [number, block] of plan.blocks.entries()) {
      const decoded = await blocks.decoded(number);
      if (decoded.kind === 'exact') continue;
      binBytes += binBytesOf(decoded, entries[number]!);
      const values = await this.blockValues(blocks, number);
      let at = 0;
      for (const { tensor, firstElement, elementCount } of block.segments) {
        const { elementCount: total } = plan.layout.tensors[tensor]!;
        const whole = tensors.get(tensor) ?? {
          bins: new Int32Array(total),
          values: new Float32Array(total),
          state: new Int32Array(total),
          codebook: -1,
        };
        if (block.coding.kind === 'levels') whole.codebook = block.coding.codebook;
        const part = decoded.kind === 'levels' ? decoded.levels.levels : decoded.state.values;
        (decoded.kind === 'levels' ? whole.bins : whole.state).set(part.subarray(at, at + elementCount), firstElement);
        whole.values.set(values.subarray(at, at + elementCount), firstElement);
        tensors.set(tensor, whole);
        at += elementCount;
      }
    }
    const residual = owner.residualFile(fileNumber);
    for (const [tensor, { bins, values, state, codebook }] of tensors) {
      const { name, shape } = plan.layout.tensors[tensor]!;
      const record = residual?.residuals.get(tensor);
      if (record === undefined) {
        into.stored.push({ name, bins, values, codebook, levelCount: levelCountOf(owner.index.codebooks, codebook) });
        continue;
      }
      const units = stepUnits(record, scaleOf(residual!.scales, shape));
      into.states.set(name, { values: state, exponent: record.exponent });
      const moves = movesOf(state, { previous: into.before.get(name), record, units });
      into.stored.push({
        name,
        bins: moves,
        values,
        codebook: 0,
        levelCount: Infinity,
        step: units * 2 ** record.exponent,
      });
    }
    return binBytes;
  }

  private async blockValues(blocks: BlockReader, number: number): Promise<Float32Array> {
    const { segments } = blocks.file.plan.blocks[number]!;
    const { dtype } = blocks.file.plan.layout.tensors[segments[0]!.tensor]!;
    if (!isQuantizable(dtype)) throw new TypeError(`a quantized block of ${dtype} (${dtypeBytes[dtype]} bytes)`);
    return floatsOf(await this.core.convert(await blocks.elements(number), dtype, 'F32'));
  }
}

/** State of a residual tensor, in units of 2^exponent. */
interface TensorState {
  readonly values: LatticeState['values'];
  readonly exponent: number;
}

function levelCountOf(codebooks: readonly PackageCodebook[], codebook: number): number {
  return codebooks[codebook]!.levelCount;
}

/**
 * Payload bytes of a block's bins: all of it except the words of protected weights and their number
 * (docs/format-blocks.md).
 */
function binBytesOf(decoded: DecodedBlock, { lengthBytes }: BlockEntry): number {
  if (decoded.kind !== 'levels') return lengthBytes;
  const words = decoded.levels.protectedWords.length;
  return lengthBytes - 2 * words - (words < 128 ? 1 : words < 16384 ? 2 : 3);
}

/**
 * Number of steps that each weight moved: the nearest whole number, because reconstruction offsets are less than half a
 * step.
 */
function movesOf(
  state: Int32Array,
  { previous, record, units }: { previous: TensorState | undefined; record: ResidualTensor; units: number },
): Int32Array {
  const scale = previous === undefined ? 1 : 2 ** (previous.exponent - record.exponent);
  const distance = (i: number): number =>
    state[i]! - (previous === undefined ? record.origin : previous.values[i]! * scale);
  return state.map((_, i) => Math.round(distance(i) / units));
}
