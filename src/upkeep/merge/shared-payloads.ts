import type { JointSymbols, NativeCore } from '../../native/core.ts';
import type { MergedFormatVersion } from '../../package/format-version.ts';
import type { PackageIndex } from '../../package/package-index.ts';
import type { MergedPackageSource, SharedBlock } from './merged-source.ts';

export interface MergedPackageOptions {
  readonly core: NativeCore;
  /** Blocks in work at once. */
  readonly parallel: number;
  /** Bytes of symbols kept between the three passes over them. */
  readonly cacheMaxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** What the blocks that all checkpoints share are stored as. */
export interface SharedPayloads {
  readonly formatVersion: MergedFormatVersion;
  /** Of residual blocks. */
  readonly jointSymbols?: JointSymbols;
  /** Of residual blocks, serialised. */
  readonly tables?: Uint8Array;
  /** One a block, in order. */
  payloads(): AsyncGenerator<Uint8Array>;
}

/** How the payloads of one kind of deltas are shared. */
export interface PayloadSharer {
  /** Whether a checkpoint is such a delta. */
  readonly takes: (index: PackageIndex) => boolean;
  readonly share: (
    source: MergedPackageSource,
    blocks: readonly SharedBlock[],
    options: MergedPackageOptions,
  ) => SharedPayloads | Promise<SharedPayloads>;
}
