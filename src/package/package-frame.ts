import { FirnError } from '../checkpoint/firn-error.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { corruptPackage } from './corrupt-package.ts';
import { indexBytesMax } from './format-limits.ts';
import { formatVersions, type FormatVersion } from './format-version.ts';

/** The fixed parts around payloads and index (docs/format.md, "Frame"). */
export const prefixBytes = 24;
export const trailerBytes = 16;

const magic = Uint8Array.from([0x46, 0x49, 0x52, 0x4e]); // "FIRN"

/** Continues a CRC-32C, like `NativeCore.crc32cSync`. */
export type Crc32c = (bytes: Uint8Array, seed?: number) => number;

/** Place of an index in its package. */
export interface IndexLocation {
  readonly indexOffsetBytes: number;
  readonly indexLengthBytes: number;
}

/** The first `prefixBytes` bytes of the package `id` (32 hex digits) in a format version. */
export function encodePrefix(id: string, formatVersion: FormatVersion): Uint8Array {
  return new ByteWriter().append(magic).u8(formatVersion).u8(0).u8(0).u8(0).append(idBytes(id)).finish();
}

/**
 * The package id and format version. Throws `corrupt-package`, or `unsupported-format` for a version that this build
 * does not support.
 */
export function decodePrefix(bytes: Uint8Array): { readonly id: string; readonly formatVersion: FormatVersion } {
  const reader = new ByteReader(bytes);
  if (!magic.every((byte) => byte === reader.u8())) throw corruptPackage('the magic bytes are missing');
  const version = reader.u8();
  const formatVersion = formatVersions.find((known) => known === version);
  if (formatVersion === undefined)
    throw new FirnError('unsupported-format', 'The package has a format version this server cannot read.', {
      detail: `version ${version}`,
    });
  if (reader.u8() + reader.u8() + reader.u8() !== 0) throw corruptPackage('reserved bytes of the prefix are set');
  return { id: Buffer.from(reader.take(16)).toString('hex'), formatVersion };
}

/** The last `trailerBytes` bytes: index offset and length, and one CRC-32C over prefix, index and these two. */
export function encodeTrailer(
  prefix: Uint8Array,
  index: Uint8Array,
  indexOffsetBytes: number,
  crc32c: Crc32c,
): Uint8Array {
  const location = new ByteWriter()
    .u32(indexOffsetBytes % 2 ** 32)
    .u32(Math.floor(indexOffsetBytes / 2 ** 32))
    .u32(index.length)
    .finish();
  return new ByteWriter()
    .append(location)
    .u32(crc32c(location, crc32c(index, crc32c(prefix))))
    .finish();
}

/** Place of the index of a package of `sizeBytes`. Throws `corrupt-package` if the lengths do not add up. */
export function decodeTrailer(trailer: Uint8Array, sizeBytes: number): IndexLocation {
  const reader = new ByteReader(trailer);
  const low = reader.u32();
  const location = { indexOffsetBytes: low + reader.u32() * 2 ** 32, indexLengthBytes: reader.u32() };
  if (location.indexOffsetBytes < prefixBytes || location.indexLengthBytes > indexBytesMax)
    throw corruptPackage('the index lies outside its limits');
  if (location.indexOffsetBytes + location.indexLengthBytes + trailerBytes !== sizeBytes)
    throw corruptPackage('index and trailer do not end the package');
  return location;
}

/** Throws `corrupt-package` if prefix, index or trailer differ from their checksum. */
export function checkFrame(prefix: Uint8Array, index: Uint8Array, trailer: Uint8Array, crc32c: Crc32c): void {
  const location = trailer.subarray(0, trailerBytes - 4);
  const expected = new ByteReader(trailer.subarray(trailerBytes - 4)).u32();
  if (crc32c(location, crc32c(index, crc32c(prefix))) !== expected)
    throw corruptPackage('the checksum of the index does not match');
}

/** 16 bytes of an id of 32 lower-case hex digits. Throws `internal` for anything else. */
export function idBytes(id: string): Uint8Array {
  if (!/^[0-9a-f]{32}$/.test(id)) throw new FirnError('internal', 'A package id has 32 hex digits.', { detail: id });
  return Buffer.from(id, 'hex');
}
