import type { BlockWalk } from '../../restore/chain/decoders/block-decoder.ts';
import type { JointSymbols, NativeCore } from '../../native/core.ts';
import type { MergedFormatVersion } from '../../package/format-version.ts';
import type { PackageIndex, TensorCoding } from '../../package/package-index.ts';
import type { MergedPackageSource, SharedBlock } from './merged-source.ts';

export interface MergedPackageOptions {
  readonly core: NativeCore;
  /** Blocks processed at once. */
  readonly parallel: number;
  /** Bytes of symbols cached between the three passes over them. */
  readonly cacheMaxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** The stored form of the blocks that all checkpoints share. */
export interface SharedPayloads {
  readonly formatVersion: MergedFormatVersion;
  /** For residual blocks only. */
  readonly jointSymbols?: JointSymbols;
  /** Context tables, serialised; for residual blocks only. */
  readonly tables?: Uint8Array;
  /** One payload per block, in order. */
  payloads(): AsyncGenerator<Uint8Array>;
}

/** A way to put the payloads of one kind of delta together. */
export interface PayloadSharer {
  /** The kind of coding whose blocks share payloads. */
  readonly coding: TensorCoding['kind'];
  /** Whether a checkpoint is a delta of this kind. */
  readonly takes: (index: PackageIndex) => boolean;
  readonly share: (
    source: MergedPackageSource,
    blocks: readonly SharedBlock[],
    options: MergedPackageOptions,
  ) => SharedPayloads | Promise<SharedPayloads>;
  /**
   * Whether a block leaves the same state before and after merging; absent if its state is its elements, which are
   * compared anyway.
   */
  readonly isSame?: (blocks: BlocksToCompare) => Promise<boolean>;
}

/** The ways to a block of a checkpoint as stored before, and in the merged package. */
export interface BlocksToCompare {
  readonly core: NativeCore;
  readonly before: BlockWalk;
  readonly after: BlockWalk;
  readonly signal: AbortSignal | undefined;
}
