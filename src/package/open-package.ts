import { corruptPackage } from './corrupt-package.ts';
import { decodePackageIndex, readAncestorId } from './decode-index.ts';
import { checkFrame, decodePrefix, decodeTrailer, prefixBytes, trailerBytes, type Crc32c, type IndexLocation } from './package-frame.ts';
import type { FormatVersion, PackageIndex } from './package-index.ts';

/** Random access to a package's bytes; an ObjectReader is one. */
export interface PackageSource {
  readonly sizeBytes: number;
  read(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): Promise<Uint8Array>;
}

/** A package's frame and stored index, checked against their checksum but not decoded: a delta's index needs the ancestor's first. */
export interface StoredIndex extends IndexLocation {
  readonly id: string;
  readonly formatVersion: FormatVersion;
  readonly ancestorId: string | undefined;
  readonly indexBytes: Uint8Array;
}

/**
 * Reads prefix, index and trailer of a package with nothing but its bytes.
 * Rejects with `corrupt-package`, `unsupported-format`, and the source's errors.
 */
export async function readStoredIndex(source: PackageSource, crc32c: Crc32c, signal?: AbortSignal): Promise<StoredIndex> {
  if (source.sizeBytes < prefixBytes + trailerBytes) throw corruptPackage('the package is shorter than its frame');
  const [prefix, trailer] = await Promise.all([source.read(0, prefixBytes, signal), source.read(source.sizeBytes - trailerBytes, trailerBytes, signal)]);
  const { id, formatVersion } = decodePrefix(prefix);
  const location = decodeTrailer(trailer, source.sizeBytes);
  const indexBytes = await source.read(location.indexOffsetBytes, location.indexLengthBytes, signal);
  checkFrame(prefix, indexBytes, trailer, crc32c);
  return { ...location, id, formatVersion, ancestorId: readAncestorId(indexBytes), indexBytes };
}

/** Decodes a stored index; a delta's with the index of its ancestor. Throws `corrupt-package`. */
export function decodeStoredIndex(stored: StoredIndex, ancestor: PackageIndex | undefined): PackageIndex {
  const index = decodePackageIndex(stored.indexBytes, { id: stored.id, formatVersion: stored.formatVersion, ancestor });
  if (payloadEndBytes(index) !== stored.indexOffsetBytes) throw corruptPackage('the payloads do not fill the package');
  return index;
}

/** Where the last payload ends: payloads follow the prefix and each other without gaps. */
function payloadEndBytes(index: PackageIndex): number {
  const ends = index.files.map(({ content }) => {
    const last = content.type === 'external' ? undefined : content.blocks.at(-1);
    return last === undefined ? prefixBytes : last.offsetBytes + last.lengthBytes;
  });
  return ends.reduce((end, other) => Math.max(end, other), prefixBytes);
}
