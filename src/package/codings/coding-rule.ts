import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import type { FormatVersion } from '../format-version.ts';
import type { PackageCodebook } from '../package-codebook.ts';

/** Context for reading codes. */
export interface CodeContext {
  readonly formatVersion: FormatVersion;
  readonly codebookCount: number;
}

/** The properties of a block that its bound depends on. */
export interface BlockShape<Block> {
  readonly coding: Block;
  readonly elementCount: number;
  readonly segments: readonly unknown[];
}

/** A block's coding, with the codebooks of its package. */
export interface BlockIn<Block> {
  readonly coding: Block;
  readonly codebooks: readonly PackageCodebook[];
}

/**
 * The package format's rules for one kind of coding with blocks of its own: `Tensor` is the coding of a tensor, `Block`
 * that of its blocks. One for each kind; all-codings.ts lists them.
 */
export interface CodingRule<Tensor extends { readonly kind: string }, Block extends { readonly kind: string }> {
  readonly kind: Tensor['kind'] & Block['kind'];
  /** Whether it codes model weights that a method quantizes: the method then encodes its payloads. */
  readonly isWeight: boolean;
  /** Whether elements are restored exactly as uploaded. */
  readonly isExact: boolean;
  /**
   * Whether blocks of consecutive deltas may share a payload in a merged package (docs/format.md, "Merged packages").
   */
  readonly isShared: boolean;
  /** The first format version that supports such a coding. */
  versionMin(coding: Tensor): FormatVersion;
  /**
   * Its code in the index (docs/format.md, "Codings"). A reference to another tensor follows the code and is not part
   * of this rule.
   */
  codeOf(coding: Tensor): number;
  /**
   * The coding of a code; undefined for a code of another kind. Throws `corrupt-package` for a code that the package
   * cannot contain.
   */
  read(code: number, context: CodeContext): Tensor | undefined;
  /** Throws `corrupt-package` if a tensor cannot have this coding. */
  checkTensor(entry: TensorEntry, coding: Tensor, codebooks: readonly PackageCodebook[]): void;
  /** The coding of the tensor's blocks. */
  blockOf(entry: TensorEntry, coding: Tensor): Block;
  /** Besides the kind, tensors that share a block must have the same class. */
  classOf(coding: Block): string | number;
  /** Most bytes of a block's payload. */
  payloadBytesMax(block: BlockShape<Block>): number;
  /** The same bound for a payload shared by several checkpoints. Absent if payloads are never shared. */
  sharedPayloadBytesMax?(block: BlockShape<Block>): number;
  /**
   * Whether a block may be coded against an ancestor's of the same kind and the same tensors (docs/format.md, "Previous
   * blocks").
   */
  matches(there: BlockIn<Block>, here: BlockIn<Block>): boolean;
}
