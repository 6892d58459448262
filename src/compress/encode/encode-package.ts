import type { NativeCore } from '../../native/core.ts';
import { encodeExactBlock } from '../../package/blocks/encode-block.ts';
import {
  writePackage,
  type DraftFile,
  type PackageDraft,
  type WrittenPackage,
  type WriteTarget,
} from '../../package/write-package.ts';
import type { Namesakes } from '../../package/tensor-place.ts';
import type { ResidualTensor } from '../../package/residual-tensor.ts';
import { codingVersionMin, isWeightCoding } from '../../package/package-index.ts';
import type { Ancestor } from '../ancestor/ancestor.ts';
import { encodeMaster } from './encode-master.ts';
import { mapBounded } from '../bounded-parallel.ts';
import type { ModelSource } from '../upload/model-source.ts';
import { withoutExternal, type CodingPlan } from '../plan/plan-codings.ts';
import type { PackageEncoding, QuantizedModel } from '../method/quantized-model.ts';
import type { BlockPlace } from '../../package/blocks/block-plan.ts';
import { isExactState, StateCoder } from './state-coder.ts';

/** A checkpoint to be stored. */
export interface CheckpointToEncode {
  /** 32 hex digits. */
  readonly packageId: string;
  readonly source: ModelSource;
  readonly plan: CodingPlan;
  /** Absent when no weights are quantized. */
  readonly quantized?: QuantizedModel;
  readonly ancestor?: Ancestor;
  /** By file number: stored as the raw object, not in the package. */
  readonly external: ReadonlySet<number>;
  /** By file number: digest of the file that the package decodes to. */
  readonly sha256: readonly string[];
}

export interface EncodedCheckpoint {
  readonly written: WrittenPackage;
  readonly kind: 'base' | 'delta';
  readonly chainLength: number;
  readonly migration: number | undefined;
  /** By file number: payload bytes in the package. */
  readonly payloadBytes: readonly number[];
  /** Names of optimizer tensors with a block stored exact because its coding cannot represent one of its elements. */
  readonly unplacedState: ReadonlySet<string>;
  /** See PackageEncoding. */
  readonly keepStates?: (() => void) | undefined;
}

export interface EncodeOptions {
  readonly parallel: number;
  readonly signal?: AbortSignal;
}

/** Encodes a checkpoint into one package in two passes over its quantized blocks: one for tables, one for payloads. */
export async function encodePackage(
  given: CheckpointToEncode,
  target: Omit<WriteTarget, 'crc32c' | 'signal'>,
  core: NativeCore,
  options: EncodeOptions,
): Promise<EncodedCheckpoint> {
  const checkpoint = { ...given, plan: withoutExternal(given.plan, given.external) };
  const encoding = inVersion(checkpoint, await encodingOf(checkpoint, options));
  const { ancestor, migration, keepStates } = encoding;
  const payloadBytes = checkpoint.source.files.map(() => 0);
  const unplacedState = new Set<string>();
  const written = await writePackage(
    { ...target, crc32c: core.crc32cSync, signal: options.signal },
    {
      id: checkpoint.packageId,
      formatVersion: encoding.formatVersion,
      ancestor: ancestor?.index,
      payloads: payloadsOf(checkpoint, encoding, core, options, { payloadBytes, unplacedState }),
      draft: () => draftOf(checkpoint, encoding),
    },
  );
  return {
    written,
    kind: ancestor === undefined ? 'base' : 'delta',
    chainLength: (ancestor?.chainLength ?? 0) + 1,
    migration,
    payloadBytes,
    unplacedState,
    ...(keepStates && { keepStates: () => keepStates({ key: target.key, id: checkpoint.packageId }) }),
  };
}

/** Exact blocks are coded against the ancestor, block by block, if that helps. */
async function encodingOf(
  { quantized, ancestor, external }: CheckpointToEncode,
  options: EncodeOptions,
): Promise<PackageEncoding> {
  if (quantized !== undefined) return quantized.encoding(ancestor, { ...options, external });
  const payload = (): never => {
    throw new TypeError('everything is exact');
  };
  return { formatVersion: 1, ancestor, migration: undefined, codebooks: [], tableSets: [], payload };
}

/** The encoding in the lowest format version that supports the codings and counterparts of all its files. */
function inVersion({ plan, external }: CheckpointToEncode, encoding: PackageEncoding): PackageEncoding {
  let { formatVersion } = encoding;
  for (const [file, { codings }] of plan.files.entries()) {
    if (external.has(file)) continue;
    for (const version of [...codings.map(codingVersionMin), encoding.ancestor?.versionMin(file) ?? 1])
      if (version > formatVersion) formatVersion = version;
  }
  return { ...encoding, formatVersion };
}

async function* payloadsOf(
  checkpoint: CheckpointToEncode,
  encoding: PackageEncoding,
  core: NativeCore,
  options: EncodeOptions,
  seen: { readonly payloadBytes: number[]; readonly unplacedState: Set<string> },
): AsyncGenerator<Uint8Array> {
  const state = new StateCoder({ source: checkpoint.source, plan: checkpoint.plan, core });
  for (const [file, { blocks }] of checkpoint.plan.files.entries()) {
    if (checkpoint.external.has(file)) continue;
    const places = blocks.map((block, index) => ({ file, index, block }));
    const payloads = mapBounded(places, options.parallel, (at) =>
      encodeBlock({ checkpoint, encoding, core, state }, at, options.signal),
    );
    let index = 0;
    for await (const payload of payloads) {
      const { coding, segments } = blocks[index++]!;
      seen.payloadBytes[file]! += payload.length;
      if (coding.kind === 'state' && isExactState(payload)) {
        const { tensors } = checkpoint.source.files[file]!.layout;
        for (const { tensor } of segments) seen.unplacedState.add(tensors[tensor]!.name);
      }
      yield payload;
    }
  }
}

interface BlockEncoders {
  readonly checkpoint: CheckpointToEncode;
  readonly encoding: PackageEncoding;
  readonly core: NativeCore;
  readonly state: StateCoder;
}

async function encodeBlock(
  { checkpoint: { source, plan }, encoding, core, state }: BlockEncoders,
  at: BlockPlace,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const { coding } = at.block;
  const { ancestor } = encoding;
  if (isWeightCoding(coding)) return encoding.payload(at, signal);
  if (coding.kind === 'state') return state.payload(at, ancestor, signal);
  if (coding.kind !== 'exact') throw new TypeError(`nobody encodes blocks of kind ${coding.kind}`);
  return shorter(
    await encodeExact({ source, ancestor }, core, at, coding.elementKind, signal),
    await encodeMaster({ source, plan, core }, at, signal),
  );
}

function shorter(payload: Uint8Array, other: Uint8Array | undefined): Uint8Array {
  return other !== undefined && other.length < payload.length ? other : payload;
}

/** One exact block, coded against its counterpart in the ancestor if there is one. */
export async function encodeExact(
  checkpoint: Pick<CheckpointToEncode, 'source'> & { readonly ancestor: Ancestor | undefined },
  core: NativeCore,
  at: BlockPlace,
  elementKind: Parameters<typeof encodeExactBlock>[1]['elementKind'],
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const bytes = await checkpoint.source.readBlock(at.file, at.block, signal);
  const previous = await checkpoint.ancestor?.exactBytes(at.file, at.index, signal);
  return encodeExactBlock(core, { bytes, previous, elementKind }, signal);
}

function draftOf(
  checkpoint: CheckpointToEncode,
  { formatVersion, ancestor, codebooks, tableSets, residual, residualTensors }: PackageEncoding,
): PackageDraft {
  return {
    formatVersion,
    id: checkpoint.packageId,
    kind: ancestor === undefined ? 'base' : 'delta',
    ...(ancestor === undefined ? {} : { ancestorId: ancestor.index.id }),
    codebooks,
    tableSets,
    ...(residual !== undefined && { residual }),
    files: checkpoint.source.files.map((file, number): DraftFile => ({
      path: file.path,
      sizeBytes: file.sizeBytes,
      sha256: checkpoint.sha256[number]!,
      content: contentOf(checkpoint, number, {
        residuals: residualTensors?.[number],
        namesakes: ancestor?.namesakesOf(number),
      }),
    })),
  };
}

interface TensorRecords {
  readonly residuals: ReadonlyMap<number, ResidualTensor> | undefined;
  readonly namesakes: Namesakes | undefined;
}

function contentOf(
  { source, plan, external }: CheckpointToEncode,
  number: number,
  { residuals = new Map(), namesakes }: TensorRecords,
): DraftFile['content'] {
  const file = source.files[number]!;
  if (external.has(number)) return { type: 'external' };
  if (file.type === 'blob') return { type: 'blob' };
  return {
    type: 'safetensors',
    layout: file.layout,
    codings: plan.files[number]!.codings,
    ...(residuals.size > 0 && { residuals }),
    ...(namesakes !== undefined && { namesakes }),
  };
}
