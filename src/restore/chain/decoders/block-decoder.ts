import type { NativeCore } from '../../../native/core.ts';
import type { PlannedBlock } from '../../../package/blocks/block-plan.ts';
import type { GatheredPart } from '../../../package/blocks/gather-blocks.ts';
import type { BlockPart, FilePlan } from '../../../package/blocks/plan-file.ts';
import type { MergedPackagePart } from '../../../package/package-index.ts';
import type { BlockMemory } from '../../block-memory.ts';
import type { IndexedPackage } from '../indexed-package.ts';
import type { LocatedPart } from '../read-parts.ts';
import type { DecodedBlock } from './decoded-block.ts';

/** One block in one package of the chain. */
export interface WalkStep {
  /** Distance from the newest package, in packages. */
  readonly step: number;
  readonly planned: PlannedBlock;
  /** Index, tables, codebooks and records of the package. */
  readonly package: IndexedPackage;
  readonly fileNumber: number;
  /** Plan of the block's file. */
  readonly plan: FilePlan;
  /** Set for a checkpoint of a merged package. */
  readonly part: MergedPackagePart | undefined;
  /** The next older package, if it has the file. */
  readonly packageBefore: IndexedPackage | undefined;
  /** The block in `packageBefore` that this one refers to. */
  readonly previous: PlannedBlock | undefined;
  /**
   * The parts of the next older package that hold the ancestor's elements of an exact or residual block without a
   * previous block; undefined if there are none.
   */
  gathered(): readonly GatheredPart[] | undefined;
  /**
   * The payload, after its checksum was verified. Rejects with `corrupt-package`, `cancelled` and the store's errors.
   */
  payload(signal: AbortSignal | undefined): Promise<Uint8Array>;
  /** Locates a part of a block in this package, or in the one `back` places before, for `readParts`. */
  located(part: { readonly file: number } & BlockPart, back?: number): LocatedPart;
}

/** The blocks needed to decode one block: a cached one to start from, and the steps to decode on top of it. */
export interface BlockWalk {
  readonly core: NativeCore;
  /**
   * Newest first, down to the block after `found`, or to one that has no previous block. Empty if the block itself is
   * in the cache.
   */
  readonly steps: readonly WalkStep[];
  /** The newest usable block that the cache holds. */
  readonly found: DecodedBlock | undefined;
  /** The block in the newest package, even if it is in the cache. */
  readonly newest: WalkStep;
}

export interface ElementsRequest {
  readonly signal?: AbortSignal | undefined;
  readonly memory?: BlockMemory | undefined;
}

/**
 * Decodes blocks of one kind of coding; all-decoders.ts lists the decoders. Methods reject with `corrupt-package`,
 * `cancelled`, `overloaded`, and the store's errors.
 */
export interface BlockDecoder {
  /** The decoded block before dequantization. If the walk has no steps, this is `found`. */
  decode(walk: BlockWalk, signal: AbortSignal | undefined): Promise<DecodedBlock>;
  /** The elements of a decoded block, in the tensors' dtype. */
  elements(decoded: DecodedBlock, walk: BlockWalk, signal: AbortSignal | undefined): Promise<Uint8Array>;
  /**
   * The elements directly, without a decoded block to cache, for a block that is read once. Undefined if the block
   * should be decoded and cached instead.
   */
  passing?(walk: BlockWalk, request: ElementsRequest): Promise<Uint8Array> | undefined;
}
