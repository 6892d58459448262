import { FirnError } from '../../checkpoint/firn-error.ts';
import { corruptPackage } from '../../package/corrupt-package.ts';
import { chainLengthMax } from '../../package/format-limits.ts';
import { decodeStoredIndexes, readStoredIndex, type StoredIndex } from '../../package/open-package.ts';
import type { PackageFile } from '../../package/package-index.ts';
import type { ObjectReader } from '../../store/object-store.ts';
import { BlockReader, type DecodedBlock } from './block-reader.ts';
import type { ByteCache } from '../byte-cache.ts';
import { FileLineage } from './file-lineage.ts';
import { IndexedPackage } from './indexed-package.ts';
import { PackageBytes } from './package-bytes.ts';
import { RestoredFile, type FileContext } from './restored-file.ts';

/** One package of a chain: its place as the catalog records it, and how to open its bytes. */
export interface ChainedPackage {
  readonly id: string;
  readonly ancestorId?: string | undefined;
  /** Offset of the index according to the catalog; checked against the bytes when given. */
  readonly indexOffsetBytes?: number;
  readonly indexLengthBytes?: number;
  readonly sizeBytes?: number;
  /** Position of this checkpoint in a merged package; 0 for a package of one. */
  readonly position?: number;
  /**
   * Identifies the stored object. The checkpoints of a merged package share it, and merging changes it. The package's
   * id when absent.
   */
  readonly key?: string;
  readonly open: () => Promise<ObjectReader>;
}

/** Shared by all chains: decoded indexes by stored object and package id, decoded blocks by package, file and block. */
export interface ChainContext extends FileContext {
  readonly indexes: ByteCache<IndexedPackage>;
  readonly blocks: ByteCache<DecodedBlock>;
}

/** One opened package of a chain. */
export interface ChainLink {
  /** See `ChainedPackage`. */
  readonly key: string;
  readonly package: IndexedPackage;
  readonly bytes: PackageBytes;
}

/**
 * An opened package with all its ancestors. `links` are newest first, the base last. Close it once none of its streams
 * run.
 */
export class PackageChain {
  readonly links: readonly ChainLink[];
  readonly #ctx: ChainContext;
  readonly #lineages = new Map<string, FileLineage>();

  private constructor(ctx: ChainContext, links: readonly ChainLink[]) {
    this.#ctx = ctx;
    this.links = links;
  }

  /**
   * Reads the indexes of a package and its ancestors, given newest first. Rejects with `corrupt-package` (damaged
   * bytes, a wrong ancestor, a chain without a base), `unsupported-format`, `cancelled`, and the store's errors.
   */
  static async open(
    ctx: ChainContext,
    packages: readonly ChainedPackage[],
    signal?: AbortSignal,
  ): Promise<PackageChain> {
    if (packages.length === 0 || packages.length > chainLengthMax)
      throw corruptPackage(`a chain of ${packages.length} packages`);
    const links: ChainLink[] = [];
    try {
      // From the base up, because an index is decoded with its ancestor's.
      let before: ChainedPackage | undefined;
      for (const entry of [...packages].reverse()) {
        if (signal?.aborted === true) throw new FirnError('cancelled', 'The restore was cancelled.');
        const bytes =
          before !== undefined && keyOf(before) === keyOf(entry) ? links[0]!.bytes : new PackageBytes(entry.open);
        links.unshift({ key: keyOf(entry), bytes, package: await openLink(ctx, entry, bytes, links) });
        before = entry;
      }
      return new PackageChain(ctx, links);
    } catch (error) {
      await closeLinks(links);
      throw error;
    }
  }

  /** Files of the newest package, external ones included. */
  get files(): readonly PackageFile[] {
    return this.links[0]!.package.index.files;
  }

  /** Decoded blocks of a file, for encoding a later checkpoint against it. Throws as `file`. */
  blocks(path: string): BlockReader {
    return this.#blocksFrom(0, path);
  }

  /** Blocks of a file in the package `link` places before the newest. */
  #blocksFrom(link: number, path: string): BlockReader {
    const pathOf = (back: number, fileNumber: number): string =>
      this.links[link + back]!.package.index.files[fileNumber]!.path;
    return new BlockReader(this.#ctx, this.#lineage(link, path), (fileNumber, back = 0) =>
      this.#blocksFrom(link + back, pathOf(back, fileNumber)),
    );
  }

  /**
   * A file as it was stored, rebuilt on demand. Throws `not-found` when the package does not hold its bytes (external
   * files: the raw object does).
   */
  file(path: string): RestoredFile {
    return new RestoredFile(this.#ctx, this.blocks(path));
  }

  close(): Promise<void> {
    return closeLinks(this.links);
  }

  #lineage(link: number, path: string): FileLineage {
    const key = `${link} ${path}`;
    let lineage = this.#lineages.get(key);
    if (lineage === undefined) {
      lineage = new FileLineage(this.links.slice(link), path);
      this.#lineages.set(key, lineage);
    }
    return lineage;
  }
}

function keyOf({ key, id }: ChainedPackage): string {
  return key ?? id;
}

/** `older` are the links of the ancestors, newest first. */
async function openLink(
  ctx: ChainContext,
  entry: ChainedPackage,
  bytes: PackageBytes,
  older: readonly ChainLink[],
): Promise<IndexedPackage> {
  const ancestor = older[0]?.package;
  if (entry.ancestorId !== ancestor?.index.id)
    throw corruptPackage(
      `package ${entry.id} builds on ${entry.ancestorId ?? 'nothing'}, the chain goes on with ` +
        `${ancestor?.index.id ?? 'nothing'}`,
    );
  const cached = ctx.indexes.get(`${keyOf(entry)} ${entry.id}`) ?? ancestor?.next(entry.id, keyOf(entry));
  if (cached !== undefined) return cached;
  try {
    const { position = 0 } = entry;
    const sizeBytes = await bytes.sizeBytes();
    const stored = await readStoredIndex(
      { sizeBytes, read: (offset, length) => bytes.read(offset, length) },
      ctx.core.crc32cSync,
    );
    checkEntry(entry, stored, sizeBytes);
    const indexes = decodeStoredIndexes(stored, older[position]?.package.index);
    const opened = IndexedPackage.ofPackage(ctx.core, indexes, keyOf(entry));
    for (const each of opened) ctx.indexes.set(`${keyOf(entry)} ${each.index.id}`, each, each.memoryBytes());
    return opened[position]!;
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

function checkEntry(entry: ChainedPackage, stored: StoredIndex, sizeBytes: number): void {
  const { position = 0 } = entry;
  const same =
    stored.packageIds[position] === entry.id &&
    (position === 0 ? stored.ancestorId : stored.packageIds[position - 1]) === entry.ancestorId &&
    sizeBytes === (entry.sizeBytes ?? sizeBytes) &&
    stored.indexOffsetBytes === (entry.indexOffsetBytes ?? stored.indexOffsetBytes) &&
    stored.indexLengthBytes === (entry.indexLengthBytes ?? stored.indexLengthBytes);
  if (!same)
    throw corruptPackage(
      `the object of package ${entry.id} is another package (${stored.packageIds.join(', ')}, ancestor ` +
        `${stored.ancestorId ?? 'none'})`,
    );
}

async function closeLinks(links: readonly ChainLink[]): Promise<void> {
  await Promise.all(links.map((link) => link.bytes.close()));
}
