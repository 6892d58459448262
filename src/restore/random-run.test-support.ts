import { createHash } from 'node:crypto';
import { dtypeBytes, isQuantizable, type Dtype, type QuantizableDtype } from '../checkpoint/dtype.ts';
import { layerTypes, quantizedLayerTypes, type QuantizedLayerType } from '../checkpoint/layer-type.ts';
import { buildSafetensorsHeader, type PlannedTensor } from '../checkpoint/safetensors/safetensors-header.ts';
import type { NativeCore, TokenTables } from '../native/core.ts';
import type { PlannedBlock } from '../package/blocks/block-plan.ts';
import { encodeExactBlock, encodeLevelBlock } from '../package/blocks/encode-block.ts';
import { levelModulus, matchBlocks } from '../package/blocks/match-blocks.ts';
import type { PackageCodebook, PackageIndex, TensorCoding } from '../package/package-index.ts';
import { planFile, type FilePlan } from '../package/blocks/plan-file.ts';
import { writePackage, type DraftFile, type WrittenPackage } from '../package/write-package.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { PackageLocation } from './restorer.ts';

/** Small and repeatable (xorshift32); not for anything but tests. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed ^ 0x9e3779b9 || 1;
  }

  /** 0..count-1 */
  below(count: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % count;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256));
  }
}

export interface RandomRunOptions {
  readonly length: number;
  /** Allows tensors above one block. */
  readonly large: boolean;
  /** Names of tensors per file, at most. */
  readonly tensorsMax: number;
  /** Prefix of the names of the model files; "model" by default. */
  readonly shardName?: string;
}

/** One checkpoint of a random run: where its package is and what it must decode to. */
export interface StoredCheckpoint {
  readonly location: PackageLocation;
  readonly index: PackageIndex;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

interface FileState {
  readonly path: string;
  readonly sizeBytes: number;
  readonly content: DraftFile['content'];
  readonly plan: FilePlan;
  /** Per block: levels and words, or bytes. */
  readonly blocks: readonly BlockState[];
}
type BlockState =
  { readonly levels: Uint8Array; readonly protectedWords: Uint16Array } | { readonly bytes: Uint8Array };

interface CheckpointState {
  readonly codebooks: readonly PackageCodebook[];
  readonly files: readonly FileState[];
}

/**
 * A list of tensors with the layer type of each. It is the same along a run, except for the changes that `drift` makes.
 */
interface FileShape {
  readonly path: string;
  readonly tensors: readonly (PlannedTensor & { readonly layerType: (typeof layerTypes)[number] })[];
}

/**
 * Stores a run of random checkpoints as a base and deltas: mixed dtypes, scalars, empty and large tensors, shards,
 * blobs. Level counts, metadata and sometimes a tensor's coding change along the run. Returns the checkpoints oldest
 * first.
 */
export async function storeRandomRun(
  dice: Dice,
  core: NativeCore,
  store: ObjectStore,
  options: RandomRunOptions,
): Promise<StoredCheckpoint[]> {
  const shapes = Array.from({ length: 1 + dice.below(2) }, (_, shard) =>
    randomShape(dice, `${options.shardName ?? 'model'}-${shard}.safetensors`, options),
  );
  const stored: StoredCheckpoint[] = [];
  let before: (CheckpointState & { written: WrittenPackage }) | undefined;
  for (let step = 0; step < options.length; step++) {
    const state = randomCheckpoint(dice, shapes, before, step);
    const id = createHash('sha256')
      .update(`${step} ${dice.below(2 ** 31)}`)
      .digest('hex')
      .slice(0, 32);
    const files = new Map(state.files.map((file) => [file.path, fileBytes(file, state.codebooks)]));
    const written = await storeCheckpoint({ state, before, core, store, id, files });
    const { sizeBytes } = written.object;
    const { indexOffsetBytes, indexLengthBytes, index } = written;
    stored.push({
      location: { id, key: id, sizeBytes, indexOffsetBytes, indexLengthBytes, ancestorId: before?.written.index.id },
      index,
      files,
    });
    before = { ...state, written };
  }
  return stored;
}

function randomShape(dice: Dice, path: string, { large, tensorsMax }: RandomRunOptions): FileShape {
  const dtypes: readonly Dtype[] = ['F32', 'F32', 'BF16', 'F16', 'I64', 'U8', 'F64', 'I16', 'BOOL'];
  const tensors = Array.from({ length: dice.below(tensorsMax + 1) }, (_, i) => {
    const dtype = dice.pick(dtypes);
    const shape = randomDimensions(dice, large);
    return {
      name: `layer.${i}.${dice.pick(['weight', 'bias', 'ünï'])}`,
      dtype,
      shape,
      layerType: dice.pick(layerTypes),
    };
  });
  return { path, tensors };
}

function randomDimensions(dice: Dice, large: boolean): number[] {
  const kind = dice.below(10);
  if (kind === 0) return [];
  if (kind === 1) return [0, 7];
  if (kind === 2 && large) return [131072 + dice.below(140000)];
  if (kind === 3 && large) return [131072];
  return [1 + dice.below(40), 1 + dice.below(large ? 300 : 8)];
}

function randomCheckpoint(
  dice: Dice,
  shapes: readonly FileShape[],
  before: CheckpointState | undefined,
  step: number,
): CheckpointState {
  const classes = quantizedLayerTypes.flatMap((layerType) =>
    (['F32', 'F16', 'BF16'] as const).map((dtype) => ({ layerType, dtype })),
  );
  // Sometimes in another order than before: codebook numbers mean nothing across packages.
  const codebooks = (dice.chance(50) ? classes : classes.reverse()).map((entry) => randomCodebook(dice, entry));
  const files = shapes.map((shape) => randomSafetensors(dice, shape, codebooks, before, step));
  if (step === 0 || dice.chance(80)) files.push(randomBlob(dice, before));
  return { codebooks, files };
}

function randomCodebook(
  dice: Dice,
  { layerType, dtype }: { layerType: QuantizedLayerType; dtype: QuantizableDtype },
): PackageCodebook {
  const centroids = 1 + dice.below(dice.chance(20) ? 250 : 20);
  const pruned = dice.chance(50);
  const guarded = dice.chance(70);
  const levelCount = centroids + Number(pruned) + Number(guarded);
  const table = new Uint8Array(levelCount * dtypeBytes[dtype]);
  table.set(dice.bytes(centroids * dtypeBytes[dtype]));
  return {
    layerType,
    dtype,
    table,
    levelCount,
    tableSet: dice.below(2),
    ...(pruned ? { prunedLevel: centroids } : {}),
    ...(guarded ? { protectedLevel: levelCount - 1 } : {}),
  };
}

function randomSafetensors(
  dice: Dice,
  shape: FileShape,
  codebooks: readonly PackageCodebook[],
  before: CheckpointState | undefined,
  step: number,
): FileState {
  const layout = buildSafetensorsHeader(
    shape.tensors,
    dice.chance(50) ? { step: String(step * 100), note: 'x'.repeat(dice.below(30)) } : {},
  );
  const oddTensor = dice.chance(30) ? dice.below(shape.tensors.length + 1) : -1;
  const codings = layout.tensors.map((entry, i): TensorCoding => {
    const { layerType } = shape.tensors.find(({ name }) => name === entry.name)!;
    const codebook = codebooks.findIndex((book) => book.layerType === layerType && book.dtype === entry.dtype);
    return codebook < 0 || !isQuantizable(entry.dtype) || i === oddTensor
      ? { kind: 'exact', layerType }
      : { kind: 'levels', codebook };
  });
  const content = { type: 'safetensors', layout, codings } as const;
  const plan = planFile({ sizeBytes: layout.sizeBytes, content })!;
  const previous = before?.files.find((file) => file.path === shape.path);
  const blocks = plan.blocks.map((block, i) => {
    const candidate = previous?.blocks[i];
    return block.coding.kind === 'levels'
      ? randomLevels(dice, block, codebooks[block.coding.codebook]!, candidate)
      : randomExact(dice, block.elementCount * dtypeBytes[layout.tensors[block.segments[0]!.tensor]!.dtype], candidate);
  });
  return { path: shape.path, sizeBytes: layout.sizeBytes, content, plan, blocks };
}

function randomBlob(dice: Dice, before: CheckpointState | undefined): FileState {
  const previous = before?.files.find((file) => file.path === 'config/tokens.json');
  const sizeBytes =
    previous !== undefined && dice.chance(60) ? previous.sizeBytes : dice.pick([0, 1, 500, 131072, 131073]);
  const content = { type: 'blob' } as const;
  const plan = planFile({ sizeBytes, content })!;
  return {
    path: 'config/tokens.json',
    sizeBytes,
    content,
    plan,
    blocks: plan.blocks.map((block, i) => randomExact(dice, block.elementCount, previous?.blocks[i])),
  };
}

/** Mostly the previous levels if they fit; else random ones, or long runs of one value. */
function randomLevels(
  dice: Dice,
  block: PlannedBlock,
  codebook: PackageCodebook,
  before: BlockState | undefined,
): BlockState {
  const moved = dice.pick([0, 1, 30, 100]);
  const skew = dice.pick([0, 90, 99]);
  const old = before !== undefined && 'levels' in before ? before.levels : undefined;
  const levels = Uint8Array.from({ length: block.elementCount }, (_, i) => {
    const was = old?.[i];
    return was !== undefined && was < codebook.levelCount && !dice.chance(moved)
      ? was
      : dice.chance(skew)
        ? 0
        : dice.below(codebook.levelCount);
  });
  const protectedCount = levels.reduce((count, level) => count + Number(level === codebook.protectedLevel), 0);
  return { levels, protectedWords: Uint16Array.from({ length: protectedCount }, () => dice.below(65536)) };
}

function randomExact(dice: Dice, sizeBytes: number, before: BlockState | undefined): BlockState {
  const old = before !== undefined && 'bytes' in before && before.bytes.length === sizeBytes ? before.bytes : undefined;
  const skew = dice.pick([0, 90, 99]);
  if (old === undefined) return { bytes: dice.bytes(sizeBytes).map((byte) => (dice.chance(skew) ? 0 : byte)) };
  return { bytes: dice.chance(30) ? old : Uint8Array.from(old, (byte) => (dice.chance(2) ? dice.below(256) : byte)) };
}

/** The expected bytes of the file, made without the code under test. */
function fileBytes(file: FileState, codebooks: readonly PackageCodebook[]): Uint8Array {
  const out = new Uint8Array(file.sizeBytes);
  out.set(file.plan.layout.headerBytes);
  file.plan.blocks.forEach((block, i) => {
    const state = file.blocks[i]!;
    const bytes =
      'bytes' in state ? state.bytes : lookUp(state, codebooks[(block.coding as { codebook: number }).codebook]!);
    let at = 0;
    for (const segment of block.segments) {
      const entry = file.plan.layout.tensors[segment.tensor]!;
      const width = dtypeBytes[entry.dtype];
      out.set(bytes.subarray(at, at + segment.elementCount * width), entry.startBytes + segment.firstElement * width);
      at += segment.elementCount * width;
    }
  });
  return out;
}

function lookUp(
  { levels, protectedWords }: { levels: Uint8Array; protectedWords: Uint16Array },
  { dtype, table, protectedLevel }: PackageCodebook,
): Uint8Array {
  const width = dtypeBytes[dtype];
  const out = new Uint8Array(levels.length * width);
  let word = 0;
  levels.forEach((level, i) => {
    if (level === protectedLevel)
      new DataView(out.buffer).setUint16(i * width + width - 2, protectedWords[word++]!, true);
    else out.set(table.subarray(level * width, (level + 1) * width), i * width);
  });
  return out;
}

interface StoreRequest {
  readonly state: CheckpointState;
  readonly before: (CheckpointState & { readonly written: WrittenPackage }) | undefined;
  readonly core: NativeCore;
  readonly store: ObjectStore;
  readonly id: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

async function storeCheckpoint(request: StoreRequest): Promise<WrittenPackage> {
  const { state, before, core, store, id, files } = request;
  const jobs = state.files.flatMap((file) => fileJobs(file, state, before));
  const tables = await buildTables(core, jobs, 2);
  return writePackage(
    { store, key: id, sizeMaxBytes: 2 ** 30, crc32c: core.crc32cSync },
    {
      id,
      formatVersion: 1,
      ancestor: before?.written.index,
      payloads: (async function* () {
        for (const job of jobs)
          yield job.kind === 'exact'
            ? await encodeExactBlock(core, job)
            : await encodeLevelBlock(tables[job.tableSet]!, job);
      })(),
      draft: () => ({
        formatVersion: 1,
        id,
        codebooks: state.codebooks,
        tableSets: tables.map((set) => set.serialize()),
        ...(before === undefined ? { kind: 'base' } : { kind: 'delta', ancestorId: before.written.index.id }),
        files: [
          ...state.files.map(({ path, sizeBytes, content }) => ({
            path,
            sizeBytes,
            content,
            sha256: createHash('sha256').update(files.get(path)!).digest('hex'),
          })),
          { path: 'raw/optimizer.bin', sizeBytes: 12345, sha256: 'ab'.repeat(32), content: { type: 'external' } },
        ],
      }),
    },
  );
}

type BlockJob =
  | {
      kind: 'levels';
      levels: Uint8Array;
      protectedWords: Uint16Array;
      previous: Uint8Array | undefined;
      modulus: number;
      tableSet: number;
    }
  | {
      kind: 'exact';
      bytes: Uint8Array;
      previous: Uint8Array | undefined;
      elementKind: Extract<PlannedBlock['coding'], { kind: 'exact' }>['elementKind'];
    };

function fileJobs(file: FileState, state: CheckpointState, before: CheckpointState | undefined): BlockJob[] {
  const previous = before?.files.find((other) => other.path === file.path && other.content.type === file.content.type);
  const matches =
    previous === undefined
      ? undefined
      : matchBlocks(
          { plan: previous.plan, codebooks: before!.codebooks, number: before!.files.indexOf(previous) },
          { plan: file.plan, codebooks: state.codebooks },
        );
  return file.plan.blocks.map((block, i): BlockJob => {
    const match = matches?.[i] ?? -1;
    const now = file.blocks[i]!;
    const was = match < 0 ? undefined : previous!.blocks[match]!;
    if (block.coding.kind === 'exact') {
      return {
        kind: 'exact',
        bytes: (now as { bytes: Uint8Array }).bytes,
        previous: was && (was as { bytes: Uint8Array }).bytes,
        elementKind: block.coding.elementKind,
      };
    }
    if (block.coding.kind !== 'levels') throw new Error('random runs have no residual blocks');
    const codebook = state.codebooks[block.coding.codebook]!;
    const there = previous?.plan.blocks[match]?.coding;
    const modulus = levelModulus(codebook, there?.kind === 'levels' ? before!.codebooks[there.codebook] : undefined);
    return {
      kind: 'levels',
      ...(now as { levels: Uint8Array; protectedWords: Uint16Array }),
      previous: was && (was as { levels: Uint8Array }).levels,
      modulus,
      tableSet: codebook.tableSet,
    };
  });
}

async function buildTables(core: NativeCore, jobs: readonly BlockJob[], setCount: number): Promise<TokenTables[]> {
  const counts = Array.from({ length: setCount }, () => core.createTokenCounts());
  for (const job of jobs) {
    if (job.kind === 'levels')
      await counts[job.tableSet]!.add({
        current: job.levels,
        modulus: job.modulus,
        ...(job.previous === undefined ? {} : { previous: job.previous }),
      });
  }
  return counts.map((count) => count.build());
}
