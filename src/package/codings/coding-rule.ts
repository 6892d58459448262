import type { TensorEntry } from '../../checkpoint/safetensors/safetensors-layout.ts';
import type { FormatVersion } from '../format-version.ts';
import type { PackageCodebook } from '../package-codebook.ts';

/** What codes are read with. */
export interface CodeContext {
  readonly formatVersion: FormatVersion;
  readonly codebookCount: number;
}

/** A block as its bound depends on it. */
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
 * All that the package format knows of one kind of coding whose tensors have blocks of their own: `Tensor` is the
 * coding of a tensor, `Block` that of its blocks. One a kind; all-codings.ts lists them.
 */
export interface CodingRule<Tensor extends { readonly kind: string }, Block extends { readonly kind: string }> {
  readonly kind: Tensor['kind'] & Block['kind'];
  /** Whether it is one of model weights that a method quantizes: the method's encoding makes its payloads. */
  readonly isWeight: boolean;
  /** Whether elements come back as they were uploaded. */
  readonly isExact: boolean;
  /** Whether blocks of consecutive deltas may share a payload in a merged package (docs/format.md, "Super-steps"). */
  readonly isShared: boolean;
  /** The format version from which a package may hold such a coding. */
  versionMin(coding: Tensor): FormatVersion;
  /**
   * Its code in the index (docs/format.md, "Codings"). What another tensor is named by follows the code and is not this
   * rule's.
   */
  codeOf(coding: Tensor): number;
  /**
   * The coding of a code; undefined for a code of another kind. Throws `corrupt-package` for one that the package
   * cannot hold.
   */
  read(code: number, context: CodeContext): Tensor | undefined;
  /** Throws `corrupt-package` where a tensor cannot be coded so. */
  checkTensor(entry: TensorEntry, coding: Tensor, codebooks: readonly PackageCodebook[]): void;
  /** The coding of the tensor's blocks. */
  blockOf(entry: TensorEntry, coding: Tensor): Block;
  /** What tensors have in common that share a block, beside their kind. */
  classOf(coding: Block): string | number;
  /** Most bytes of a block's payload. */
  payloadBytesMax(block: BlockShape<Block>): number;
  /** The same where several checkpoints share it. Absent where none do. */
  sharedPayloadBytesMax?(block: BlockShape<Block>): number;
  /**
   * Whether a block may be coded against an ancestor's of the same kind and the same tensors (docs/format.md, "Previous
   * blocks").
   */
  matches(there: BlockIn<Block>, here: BlockIn<Block>): boolean;
}
