import type { NativeCore } from '../../../native/core.ts';
import type { PlannedBlock } from '../../../package/blocks/block-plan.ts';
import type { GatheredPart } from '../../../package/blocks/gather-blocks.ts';
import type { BlockPart, FilePlan } from '../../../package/blocks/plan-file.ts';
import type { MergedPackagePart } from '../../../package/package-index.ts';
import type { BlockMemory } from '../../block-memory.ts';
import type { IndexedPackage } from '../indexed-package.ts';
import type { LocatedPart } from '../read-parts.ts';
import type { DecodedBlock } from './decoded-block.ts';

/** A block in one package of the chain. */
export interface WalkStep {
  /** Packages before the newest. */
  readonly step: number;
  readonly planned: PlannedBlock;
  /** The package: its index with tables, codebooks and records. */
  readonly package: IndexedPackage;
  readonly fileNumber: number;
  /** Of the file. */
  readonly plan: FilePlan;
  /** Of a checkpoint of a merged package. */
  readonly part: MergedPackagePart | undefined;
  /** The package before, where it has the file. */
  readonly packageBefore: IndexedPackage | undefined;
  /** The block there that this one is coded against. */
  readonly previous: PlannedBlock | undefined;
  /**
   * Where an exact block without a previous one may find its elements in the package before; undefined where it does
   * not.
   */
  gathered(): readonly GatheredPart[] | undefined;
  /** The payload, its checksum proven. Rejects with `corrupt-package`, `cancelled` and the store's errors. */
  payload(signal: AbortSignal | undefined): Promise<Uint8Array>;
  /** Where a part of a block of this package lies, or of the one `back` places before: `readParts` reads it. */
  located(part: { readonly file: number } & BlockPart, back?: number): LocatedPart;
}

/** The way to a block: what is known already, and what is to be decoded on top of it. */
export interface BlockWalk {
  readonly core: NativeCore;
  /**
   * Newest first, up to the block where it stands alone or the one after `found`. Empty where the block itself is
   * found.
   */
  readonly steps: readonly WalkStep[];
  /** The last decoded block of the way that the cache holds. */
  readonly found: DecodedBlock | undefined;
  /** The block in the newest package, also where it is found. */
  readonly newest: WalkStep;
}

export interface ElementsRequest {
  readonly signal?: AbortSignal | undefined;
  readonly memory?: BlockMemory | undefined;
}

/**
 * How blocks of one kind of coding are decoded; all-decoders.ts lists them. Methods reject with `corrupt-package`,
 * `cancelled`, `overloaded`, and the store's errors.
 */
export interface BlockDecoder {
  /** The block as it is coded; what is found is given back as it is. */
  decode(walk: BlockWalk, signal: AbortSignal | undefined): Promise<DecodedBlock>;
  /** The elements of a decoded block, in the tensors' dtype. */
  elements(decoded: DecodedBlock, walk: BlockWalk, signal: AbortSignal | undefined): Promise<Uint8Array>;
  /**
   * The elements without a decoded block, for a reader who does not come back to it; nothing is kept then. Undefined
   * where the block is better decoded and kept.
   */
  passing?(walk: BlockWalk, request: ElementsRequest): Promise<Uint8Array> | undefined;
}
