import type { LayerType, QuantizedLayerType } from '../checkpoint/layer-type.ts';
import type { QuantizableDtype } from '../checkpoint/dtype.ts';
import type { StateForm } from '../checkpoint/options/state-form.ts';
import type { SafetensorsLayout } from '../checkpoint/safetensors/safetensors-layout.ts';
import type { MoveTuples } from '../native/core.ts';
import type { ResidualTensor, StepScales } from './residual-tensor.ts';

/** The decoded index of a package (docs/format.md). Everything a reader needs besides the payload bytes and, for a delta, the ancestor. */
export interface PackageIndex {
  readonly formatVersion: FormatVersion;
  readonly kind: 'base' | 'delta';
  /** The ancestor package's id (32 hex digits), for a delta. */
  readonly ancestorId?: string;
  readonly id: string;
  /** Codebooks by number; tensors refer to them. */
  readonly codebooks: readonly PackageCodebook[];
  /** Serialised token tables by number; codebooks refer to them. */
  readonly tableSets: readonly Uint8Array[];
  /** What residual tensors share; a package of version 1 has none. */
  readonly residual?: ResidualCoding;
  readonly files: readonly PackageFile[];
  /** Of a checkpoint stored in a super-step: its residual blocks share their payloads with those of the checkpoints beside it. */
  readonly part?: SuperStepPart;
}

/**
 * Version 2 has residual tensors; a writer uses it for packages that hold any. Version 3 is a super-step: several consecutive deltas in one package. Version 4 is version 2 with
 * what came after it, version 5 is version 4 with masters and widened copies, and version 6 is version 5 with kept tensors and gathered blocks; a writer uses each for packages that need it.
 */
export type FormatVersion = 1 | 2 | 3 | 4 | 5 | 6;

/** What the checkpoints of a super-step share (docs/format.md, "Super-steps"). */
export interface SuperStep {
  /** The id of the stored package; each checkpoint in it keeps the id of the package it was stored in before. */
  readonly id: string;
  /** By position, each the ancestor of the next. */
  readonly packageIds: readonly string[];
  /** What the symbols of its residual blocks stand for. */
  readonly tuples: MoveTuples;
}

export interface SuperStepPart {
  readonly superStep: SuperStep;
  /** From 0. */
  readonly position: number;
}

/** Serialised context tables of all residual blocks, and the scales of all steps. */
export interface ResidualCoding {
  readonly tables: Uint8Array;
  readonly scales: StepScales;
}

/** One codebook: all tensors of one layer type and dtype. */
export interface PackageCodebook {
  readonly layerType: QuantizedLayerType;
  readonly dtype: QuantizableDtype;
  /** `levelCount` elements of `dtype`, little-endian: centroids, then pruned (0), then protected (0, unused). */
  readonly table: Uint8Array;
  readonly levelCount: number;
  readonly prunedLevel?: number;
  readonly protectedLevel?: number;
  readonly tableSet: number;
}

export interface PackageFile {
  readonly path: string;
  /** Size and digest of the bytes this package decodes to. */
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly content: SafetensorsContent | BlobContent | ExternalContent;
}

export interface SafetensorsContent {
  readonly type: 'safetensors';
  readonly layout: SafetensorsLayout;
  /** Per tensor, in offset order. */
  readonly codings: readonly TensorCoding[];
  /** Of the residual tensors, by tensor number. */
  readonly residuals?: ReadonlyMap<number, ResidualTensor>;
  readonly blocks: readonly BlockEntry[];
}

/** Any other file: bytes in blocks, coded exact. */
export interface BlobContent {
  readonly type: 'blob';
  readonly blocks: readonly BlockEntry[];
}

/** The file is an object of its own, as uploaded. */
export interface ExternalContent {
  readonly type: 'external';
}

export type TensorCoding =
  ExactCoding | { readonly kind: 'levels'; readonly codebook: number } | { readonly kind: 'residual' } | StateCoding | CopyCoding | KeptCoding;

/** Kept byte for byte. */
export interface ExactCoding {
  readonly kind: 'exact';
  readonly layerType: LayerType;
  /** Of a master: the exact F16 or BF16 tensor of the package that its F32 elements may be told by. From version 5 on. */
  readonly rounded?: TensorPlace;
}

/** Numbers of a file of a package and of a tensor in it. */
export interface TensorPlace {
  readonly file: number;
  readonly tensor: number;
}

/** Names a place in maps and sets. */
export function placeKey({ file, tensor }: TensorPlace): string {
  return `${file} ${tensor}`;
}

/** A tensor of optimizer state, F32 and lossy. First moments name the tensor of their second moments, by its number in the file. From version 4 on. */
export type StateCoding =
  | { readonly kind: 'state'; readonly form: Exclude<StateForm, 'firstMoment'> }
  | { readonly kind: 'state'; readonly form: 'firstMoment'; readonly beside: number };

/** Whether a coding is one of model weights that a search decides on. */
export function isWeightCoding({ kind }: { readonly kind: TensorCoding['kind'] }): boolean {
  return kind === 'levels' || kind === 'residual';
}

/** The elements are those of another tensor of the package, which is no copy. From version 4 on. */
export interface CopyCoding extends TensorPlace {
  readonly kind: 'copy';
  /** Whether they are that tensor's as F32, which it may then lie anywhere to be copied from; else it comes before the copy and has its dtype. From version 5 on. */
  readonly widened?: true;
}

/** The elements are those of a tensor of the ancestor, as they come back there, whatever its name, file and coding. From version 6 on. */
export interface KeptCoding extends TensorPlace {
  readonly kind: 'kept';
}

/** Codings of tensors whose elements are in no block of their own. */
export type BlocklessCoding = CopyCoding | KeptCoding;

export function isBlockless(coding: TensorCoding): coding is BlocklessCoding {
  return coding.kind === 'copy' || coding.kind === 'kept';
}

export interface BlockEntry {
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  readonly crc32c: number;
}
