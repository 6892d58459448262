import type { SafetensorsLayout } from '../checkpoint/safetensors/safetensors-layout.ts';
import type { JointSymbols } from '../native/core.ts';
import { codingRuleOf, type BlockedCoding } from './codings/all-codings.ts';
import type { FormatVersion } from './format-version.ts';
import type { PackageCodebook } from './package-codebook.ts';
import type { Namesakes, TensorPlace } from './tensor-place.ts';
import type { ResidualTensor, StepScales } from './residual-tensor.ts';

export type { FormatVersion } from './format-version.ts';
export type { ExactCoding } from './codings/exact-coding.ts';
export type { StateCoding } from './codings/state-coding.ts';
export type { PackageCodebook } from './package-codebook.ts';
export type { TensorPlace } from './tensor-place.ts';

/**
 * The decoded index of a package (docs/format.md). With it a reader needs only the payload bytes and, for a delta, the
 * ancestor.
 */
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
  /** Data shared by residual tensors; absent in version 1. */
  readonly residual?: ResidualCoding;
  readonly files: readonly PackageFile[];
  /**
   * For a checkpoint in a merged package: its residual blocks, or those in buckets, share payloads with those of the
   * other checkpoints.
   */
  readonly part?: MergedPackagePart;
}

/** Data shared by the checkpoints of a merged package (docs/format.md, "Merged packages"). */
export interface MergedPackage {
  /** The id of the stored package; each checkpoint in it retains the id of its earlier package. */
  readonly id: string;
  /** By position, each the ancestor of the next. */
  readonly packageIds: readonly string[];
  /** The moves that the joint symbols of its residual blocks stand for; absent if deltas are in buckets. */
  readonly jointSymbols?: JointSymbols;
}

export interface MergedPackagePart {
  readonly mergedPackage: MergedPackage;
  /** From 0. */
  readonly position: number;
}

/** Serialised context tables of all residual blocks, and the scales of all steps. */
export interface ResidualCoding {
  readonly tables: Uint8Array;
  readonly scales: StepScales;
}

export interface PackageFile {
  readonly path: string;
  /** Size and digest of the decoded bytes. */
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly content: SafetensorsContent | BlobContent | ExternalContent;
}

export interface SafetensorsContent {
  readonly type: 'safetensors';
  readonly layout: SafetensorsLayout;
  /** By tensor, in offset order. */
  readonly codings: readonly TensorCoding[];
  /** Records of the residual tensors, by tensor number. */
  readonly residuals?: ReadonlyMap<number, ResidualTensor>;
  /** Tensors that were renamed since the ancestor. From version 10 on, in deltas. */
  readonly namesakes?: Namesakes;
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

export type TensorCoding = BlockedCoding | CopyCoding | InheritedCoding;

/** Whether a coding is for model weights that a method quantizes. */
export function isWeightCoding({ kind }: { readonly kind: TensorCoding['kind'] }): boolean {
  return kind !== 'copy' && kind !== 'inherited' && codingRuleOf({ kind }).isWeight;
}

/** Whether elements with this coding are restored exactly as uploaded; a copy has its original's coding. */
export function isExactCoding({ kind }: { readonly kind: Exclude<TensorCoding['kind'], 'copy'> }): boolean {
  return kind === 'inherited' || codingRuleOf({ kind }).isExact;
}

/** The elements are those of another tensor of the package, which is no copy. From version 4 on. */
export interface CopyCoding extends TensorPlace {
  readonly kind: 'copy';
  /**
   * Whether the elements are that tensor's as F32. Then the tensor may be anywhere in the package; else it comes before
   * the copy and has the same dtype. From version 5 on.
   */
  readonly widened?: true;
}

/**
 * The elements are those of a tensor of the ancestor, as restored there, whatever its name, file and coding. From
 * version 6 on.
 */
export interface InheritedCoding extends TensorPlace {
  readonly kind: 'inherited';
}

/** Codings of tensors without blocks of their own. */
export type BlocklessCoding = CopyCoding | InheritedCoding;

export function isBlockless(coding: TensorCoding): coding is BlocklessCoding {
  return coding.kind === 'copy' || coding.kind === 'inherited';
}

/** The first format version that supports a coding. */
export function codingVersionMin(coding: TensorCoding): FormatVersion {
  if (coding.kind === 'inherited') return 6;
  if (coding.kind === 'copy') return coding.widened === true ? 5 : 4;
  return codingRuleOf(coding).versionMin(coding);
}

export interface BlockEntry {
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  readonly crc32c: number;
}
