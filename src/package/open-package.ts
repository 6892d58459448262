import { corruptPackage } from './corrupt-package.ts';
import { decodePackageIndex, readAncestorId, readPackageIds } from './index/decode-index.ts';
import { isMergedFormat } from './format-version.ts';
import { decodeMergedPackageIndex } from './index/decode-merged.ts';
import {
  checkFrame,
  decodePrefix,
  decodeTrailer,
  prefixBytes,
  trailerBytes,
  type Crc32c,
  type IndexLocation,
} from './package-frame.ts';
import type { FormatVersion, PackageIndex } from './package-index.ts';

/** Random access to a package's bytes, such as an ObjectReader. */
export interface PackageSource {
  readonly sizeBytes: number;
  read(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): Promise<Uint8Array>;
}

/**
 * A package's frame and stored index, checked against their checksum but not decoded: decoding a delta's index requires
 * its ancestor's.
 */
export interface StoredIndex extends IndexLocation {
  readonly id: string;
  /**
   * The ids under which chains refer to it: its own id, or those of the checkpoints of a merged package, oldest first.
   */
  readonly packageIds: readonly string[];
  readonly formatVersion: FormatVersion;
  readonly ancestorId: string | undefined;
  readonly indexBytes: Uint8Array;
}

/**
 * Reads prefix, index and trailer of a package from its bytes alone. Rejects with `corrupt-package`,
 * `unsupported-format`, and the source's errors.
 */
export async function readStoredIndex(
  source: PackageSource,
  crc32c: Crc32c,
  signal?: AbortSignal,
): Promise<StoredIndex> {
  if (source.sizeBytes < prefixBytes + trailerBytes) throw corruptPackage('the package is shorter than its frame');
  const [prefix, trailer] = await Promise.all([
    source.read(0, prefixBytes, signal),
    source.read(source.sizeBytes - trailerBytes, trailerBytes, signal),
  ]);
  const { id, formatVersion } = decodePrefix(prefix);
  const location = decodeTrailer(trailer, source.sizeBytes);
  const indexBytes = await source.read(location.indexOffsetBytes, location.indexLengthBytes, signal);
  checkFrame(prefix, indexBytes, trailer, crc32c);
  const packageIds = readPackageIds(indexBytes, { id, formatVersion });
  return { ...location, id, packageIds, formatVersion, ancestorId: readAncestorId(indexBytes), indexBytes };
}

/** Decodes the stored index of one checkpoint; a delta's needs the index of its ancestor. Throws `corrupt-package`. */
export function decodeStoredIndex(stored: StoredIndex, ancestor: PackageIndex | undefined): PackageIndex {
  const [index, ...more] = decodeStoredIndexes(stored, ancestor);
  if (index === undefined || more.length > 0) throw corruptPackage('the package is a merged package');
  return index;
}

/** Decodes a stored index into those of its checkpoints, as many as `packageIds`. Throws `corrupt-package`. */
export function decodeStoredIndexes(stored: StoredIndex, ancestor: PackageIndex | undefined): PackageIndex[] {
  const { indexBytes, id, formatVersion, indexOffsetBytes } = stored;
  const indexes = isMergedFormat(formatVersion)
    ? decodeMergedPackageIndex(indexBytes, { id, formatVersion, ancestor })
    : [decodePackageIndex(indexBytes, { id, formatVersion, ancestor })];
  if (payloadEndBytes(indexes) !== indexOffsetBytes) throw corruptPackage('the payloads do not fill the package');
  return indexes;
}

/** End of the last payload: payloads follow the prefix and each other without gaps. */
function payloadEndBytes(indexes: readonly PackageIndex[]): number {
  let end = prefixBytes;
  for (const { files } of indexes) {
    for (const { content } of files) {
      if (content.type === 'external') continue;
      for (const { offsetBytes, lengthBytes } of content.blocks) end = Math.max(end, offsetBytes + lengthBytes);
    }
  }
  return end;
}
