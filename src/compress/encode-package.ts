import type { NativeCore } from '../native/core.ts';
import { encodeExactBlock, encodeLevelBlock } from '../package/encode-block.ts';
import type { PackageCodebook } from '../package/package-index.ts';
import { writePackage, type DraftFile, type PackageDraft, type WrittenPackage, type WriteTarget } from '../package/write-package.ts';
import type { Ancestor } from './ancestor.ts';
import { forEachBounded, mapBounded } from './bounded-parallel.ts';
import { bytesOf, TokenCensus, type ChosenTables } from './count-tokens.ts';
import { levelBlock, type LevelBlockPlace, type QuantizedModel } from './level-block.ts';
import type { ModelSource } from './model-source.ts';
import { levelBlocks, type CodingPlan } from './plan-codings.ts';

/** A checkpoint to be stored. */
export interface CheckpointToEncode {
  /** 32 hex digits. */
  readonly packageId: string;
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  /** Absent when everything is exact. */
  readonly quantized?: QuantizedModel;
  readonly ancestor?: Ancestor;
  /** By file number: stored as the raw object, not in the package. */
  readonly external: ReadonlySet<number>;
  /** By file number: digest of what the package decodes to. */
  readonly sha256: readonly string[];
}

export interface EncodedCheckpoint {
  readonly written: WrittenPackage;
  readonly kind: 'base' | 'delta';
  readonly chainLength: number;
  readonly migration: number | undefined;
  /** By file number: payload bytes in the package. */
  readonly payloadBytes: readonly number[];
}

export interface EncodeOptions {
  readonly parallel: number;
  readonly signal?: AbortSignal;
}

/**
 * Encodes a checkpoint into one package: token tables from a first pass over the levels, payloads from a second. It becomes a delta when that is
 * smaller than coding its level blocks alone.
 */
export async function encodePackage(
  checkpoint: CheckpointToEncode,
  target: Omit<WriteTarget, 'crc32c' | 'signal'>,
  core: NativeCore,
  options: EncodeOptions,
): Promise<EncodedCheckpoint> {
  const { ancestor, tables, migration } = await chooseAncestor(checkpoint, core, options);
  const payloadBytes = checkpoint.source.files.map(() => 0);
  const written = await writePackage(
    { ...target, crc32c: core.crc32cSync, signal: options.signal },
    {
      id: checkpoint.packageId,
      ancestor: ancestor?.index,
      payloads: payloadsOf({ ...checkpoint, ancestor }, tables, core, options, payloadBytes),
      draft: () => draftOf(checkpoint, ancestor, tables),
    },
  );
  return { written, kind: ancestor === undefined ? 'base' : 'delta', chainLength: (ancestor?.chainLength ?? 0) + 1, migration, payloadBytes };
}

interface Choice {
  readonly ancestor: Ancestor | undefined;
  readonly tables: ChosenTables;
  readonly migration: number | undefined;
}

async function chooseAncestor(checkpoint: CheckpointToEncode, core: NativeCore, options: EncodeOptions): Promise<Choice> {
  const { quantized, plan, ancestor } = checkpoint;
  if (quantized === undefined) return { ancestor, tables: { sets: [], setOfGroup: [], tableBytes: 0, payloadBytes: 0 }, migration: undefined };
  const [alone, against] = [new TokenCensus(core, plan.groups), new TokenCensus(core, plan.groups)];
  await forEachBounded(levelBlocks(plan), options.parallel, async (at) => {
    const block = await levelBlock(quantized, ancestor, at, options.signal);
    if (ancestor !== undefined) await against.add(at.group, block, options.signal);
    await alone.add(at.group, { ...block, previous: undefined, modulus: quantized.groups[at.group]!.levelCount }, options.signal);
  });
  const [base, delta] = [alone.tables(), against.tables()];
  return ancestor !== undefined && bytesOf(delta) < bytesOf(base)
    ? { ancestor, tables: delta, migration: against.migration }
    : { ancestor: undefined, tables: base, migration: undefined };
}

async function* payloadsOf(
  checkpoint: Omit<CheckpointToEncode, 'ancestor'> & { readonly ancestor: Ancestor | undefined },
  tables: ChosenTables,
  core: NativeCore,
  options: EncodeOptions,
  payloadBytes: number[],
): AsyncGenerator<Uint8Array> {
  for (const [file, { blocks }] of checkpoint.plan.files.entries()) {
    if (checkpoint.external.has(file)) continue;
    const places = blocks.map((block, index) => ({ file, index, block }));
    for await (const payload of mapBounded(places, options.parallel, (at) => encodeBlock(checkpoint, tables, core, at, options.signal))) {
      payloadBytes[file]! += payload.length;
      yield payload;
    }
  }
}

async function encodeBlock(
  checkpoint: Pick<CheckpointToEncode, 'source' | 'quantized'> & { readonly ancestor: Ancestor | undefined },
  tables: ChosenTables,
  core: NativeCore,
  at: Omit<LevelBlockPlace, 'group'>,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const { coding } = at.block;
  if (coding.kind === 'exact') return encodeExact(checkpoint, core, at, coding.elementKind, signal);
  const group = coding.codebook;
  const block = await levelBlock(checkpoint.quantized!, checkpoint.ancestor, { ...at, group }, signal);
  return encodeLevelBlock(tables.sets[tables.setOfGroup[group]!]!, block, signal);
}

/** One exact block against its counterpart in the ancestor where there is one. */
export async function encodeExact(
  checkpoint: Pick<CheckpointToEncode, 'source'> & { readonly ancestor: Ancestor | undefined },
  core: NativeCore,
  at: Omit<LevelBlockPlace, 'group'>,
  elementKind: Parameters<typeof encodeExactBlock>[1]['elementKind'],
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const bytes = await checkpoint.source.readBlock(at.file, at.block, signal);
  const previous = await checkpoint.ancestor?.exactBytes(at.file, at.index, signal);
  return encodeExactBlock(core, { bytes, previous, elementKind }, signal);
}

function draftOf(checkpoint: CheckpointToEncode, ancestor: Ancestor | undefined, tables: ChosenTables): PackageDraft {
  return {
    formatVersion: 1,
    id: checkpoint.packageId,
    kind: ancestor === undefined ? 'base' : 'delta',
    ...(ancestor === undefined ? {} : { ancestorId: ancestor.index.id }),
    codebooks: (checkpoint.quantized?.groups ?? []).map(({ group, map, levelCount, table }, number): PackageCodebook => ({
      layerType: group.layerType,
      dtype: group.dtype,
      levelCount,
      tableSet: tables.setOfGroup[number]!,
      table: table.subarray(0, levelCount * (table.length / 256)),
      ...(map.prunedLevel === undefined ? {} : { prunedLevel: map.prunedLevel }),
      ...(map.protectedLevel === undefined ? {} : { protectedLevel: map.protectedLevel }),
    })),
    tableSets: tables.sets.map((set) => set.serialize()),
    files: checkpoint.source.files.map((file, number): DraftFile => ({
      path: file.path,
      sizeBytes: file.sizeBytes,
      sha256: checkpoint.sha256[number]!,
      content: checkpoint.external.has(number)
        ? { type: 'external' }
        : file.type === 'blob'
          ? { type: 'blob' }
          : { type: 'safetensors', layout: file.layout, codings: checkpoint.plan.files[number]!.codings },
    })),
  };
}
