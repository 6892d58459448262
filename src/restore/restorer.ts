import type { NativeCore } from '../native/core.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { DecodedBlock } from './chain/block-reader.ts';
import { ByteCache, newCacheCounts, type CacheCounts } from './byte-cache.ts';
import { DecodeAhead } from './decode-ahead.ts';
import type { IndexedPackage } from './chain/indexed-package.ts';
import { openNamed } from './open-named.ts';
import { PackageChain } from './chain/package-chain.ts';

/** A stored package as the catalog records it (its PackageRecord is one). */
export interface PackageLocation {
  readonly id: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly indexOffsetBytes: number;
  readonly indexLengthBytes: number;
  readonly ancestorId?: string | undefined;
  /** Position of this checkpoint in a merged package; 0 when absent. */
  readonly position?: number;
}

export interface RestorerOptions {
  readonly core: NativeCore;
  readonly store: ObjectStore;
  /** Bounds of the caches, in bytes. */
  readonly indexCacheBytesMax: number;
  readonly blockCacheBytesMax: number;
  /** Blocks that all streams together decode ahead of their readers, each of at most 1 MiB. */
  readonly aheadBlocksMax?: number;
}

/** Hits and misses of one cache, and the bytes that it holds now. */
export interface CacheState extends Readonly<CacheCounts> {
  readonly usedBytes: number;
}

/** 64 MiB at most: eight streams run as far ahead as one may. */
const aheadBlocksMax = 64;

/** Opens stored packages for rebuilding; caches decoded indexes and blocks. One per process. */
export class Restorer {
  readonly #options: RestorerOptions;
  readonly #indexes: ByteCache<IndexedPackage>;
  readonly #blocks: ByteCache<DecodedBlock>;
  readonly #ahead: DecodeAhead;
  readonly #counts = { index: newCacheCounts(), block: newCacheCounts() };

  constructor(options: RestorerOptions) {
    this.#options = options;
    this.#ahead = new DecodeAhead(options.aheadBlocksMax ?? aheadBlocksMax);
    this.#indexes = new ByteCache(options.indexCacheBytesMax, this.#counts.index);
    this.#blocks = new ByteCache(options.blockCacheBytesMax, this.#counts.block);
  }

  /**
   * Opens a package with its ancestors, newest first, the base last. Rejects as `PackageChain.open`. Close the chain
   * after use.
   */
  open(packages: readonly PackageLocation[], signal?: AbortSignal): Promise<PackageChain> {
    const { core, store } = this.#options;
    const entries = packages.map((entry) => ({ ...entry, open: () => openNamed(store, entry.key) }));
    return PackageChain.open(
      { core, indexes: this.#indexes, blocks: this.#blocks, ahead: this.#ahead },
      entries,
      signal,
    );
  }

  /** State of the caches of package indexes and decoded blocks; for metrics. */
  caches(): { readonly index: CacheState; readonly block: CacheState } {
    const { index, block } = this.#counts;
    return {
      index: { ...index, usedBytes: this.#indexes.usedBytes },
      block: { ...block, usedBytes: this.#blocks.usedBytes },
    };
  }
}
