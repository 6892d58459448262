import { inflateRawSync } from 'node:zlib';
import type { NativeCore } from '../src/native/core.ts';
import { isMergedFormat } from '../src/package/format-version.ts';
import { ByteReader } from '../src/package/byte-reader.ts';
import { encodePackageIndex } from '../src/package/index/encode-index.ts';
import { encodeMergedPackageIndex } from '../src/package/index/encode-merged.ts';
import {
  decodeStoredIndex,
  decodeStoredIndexes,
  readStoredIndex,
  type PackageSource,
  type StoredIndex,
} from '../src/package/open-package.ts';
import { encodeTrailer, prefixBytes } from '../src/package/package-frame.ts';
import type { PackageIndex } from '../src/package/package-index.ts';

/** A parsed package, so that a test can damage a part and recompute the checksums. */
export interface OpenedPackage {
  readonly bytes: Uint8Array;
  readonly stored: StoredIndex;
  readonly index: PackageIndex;
  readonly ancestor: PackageIndex | undefined;
}

export const packageSource = (bytes: Uint8Array): PackageSource => ({
  sizeBytes: bytes.length,
  read: async (offsetBytes, lengthBytes) => bytes.slice(offsetBytes, offsetBytes + lengthBytes),
});

/** The packages of a chain, base first. */
export async function openChain(core: NativeCore, packages: readonly Uint8Array[]): Promise<OpenedPackage[]> {
  const opened: OpenedPackage[] = [];
  for (const bytes of packages) {
    const stored = await readStoredIndex(packageSource(bytes), core.crc32cSync);
    const ancestor = opened.at(-1)?.index;
    opened.push({ bytes, stored, index: decodeStoredIndex(stored, ancestor), ancestor });
  }
  return opened;
}

/** The same package with another index; nothing is checked. */
export function withIndex(
  core: NativeCore,
  { bytes, stored, ancestor }: OpenedPackage,
  index: PackageIndex,
): Uint8Array {
  return sealed(core, bytes.subarray(0, stored.indexOffsetBytes), encodePackageIndex(index, ancestor));
}

/** The same package with `change` applied to the inflated body of its index. */
export function withBody(
  core: NativeCore,
  { bytes, stored }: Pick<OpenedPackage, 'bytes' | 'stored'>,
  change: (body: Uint8Array) => Uint8Array,
): Uint8Array {
  const reader = new ByteReader(stored.indexBytes);
  const flags = reader.u8();
  const ancestorId = (flags & 1) === 0 ? new Uint8Array() : reader.take(16);
  const packageIds = isMergedFormat(stored.formatVersion)
    ? reader.take(1 + 16 * stored.packageIds.length)
    : new Uint8Array();
  if ((flags & 2) !== 0) reader.varint(Number.MAX_SAFE_INTEGER, 'the length of the body');
  const body = (flags & 2) === 0 ? reader.rest() : new Uint8Array(inflateRawSync(reader.rest()));
  return sealed(
    core,
    bytes.subarray(0, stored.indexOffsetBytes),
    Buffer.concat([Uint8Array.of(flags & 1), ancestorId, packageIds, change(body)]),
  );
}

/** The same package with `change` applied to the payload of block `number`, counted through all files. */
export function withPayload(
  core: NativeCore,
  opened: OpenedPackage,
  number: number,
  change: (payload: Uint8Array) => Uint8Array,
): Uint8Array {
  const { bytes, stored, index, ancestor } = opened;
  const entry = payloadsOf(index)[number]!;
  const [start, end] = [entry.offsetBytes, entry.offsetBytes + entry.lengthBytes];
  const payload = change(bytes.slice(start, end));
  const files = index.files.map((file) => {
    if (file.content.type === 'external') return file;
    const blocks = file.content.blocks.map((block) =>
      block === entry ? { ...block, lengthBytes: payload.length, crc32c: core.crc32cSync(payload) } : block,
    );
    return { ...file, content: { ...file.content, blocks } };
  });
  const payloads = Buffer.concat([bytes.subarray(0, start), payload, bytes.subarray(end, stored.indexOffsetBytes)]);
  return sealed(core, payloads, encodePackageIndex({ ...index, files }, ancestor));
}

/**
 * A merged package with `change` applied to the payload of a block of its first checkpoint; later ones are moved
 * accordingly.
 */
export function withSharedPayload(
  core: NativeCore,
  { bytes, stored, ancestor }: Pick<OpenedPackage, 'bytes' | 'stored' | 'ancestor'>,
  number: number,
  change: (payload: Uint8Array) => Uint8Array,
): Uint8Array {
  const indexes = decodeStoredIndexes(stored, ancestor);
  const entry = payloadsOf(indexes[0]!)[number]!;
  const [start, end] = [entry.offsetBytes, entry.offsetBytes + entry.lengthBytes];
  const payload = change(bytes.slice(start, end));
  const changed = indexes.map((index) => ({
    ...index,
    files: index.files.map((file) => {
      if (file.content.type === 'external') return file;
      const blocks = file.content.blocks.map((block) =>
        block === entry ? { ...block, lengthBytes: payload.length, crc32c: core.crc32cSync(payload) } : block,
      );
      return { ...file, content: { ...file.content, blocks } };
    }),
  }));
  const payloads = Buffer.concat([bytes.subarray(0, start), payload, bytes.subarray(end, stored.indexOffsetBytes)]);
  return sealed(core, payloads, encodeMergedPackageIndex(changed, ancestor!));
}

/** All blocks of a package in order. */
export function payloadsOf(index: PackageIndex) {
  return index.files.flatMap(({ content }) => (content.type === 'external' ? [] : content.blocks));
}

function sealed(core: NativeCore, payloads: Uint8Array, indexBytes: Uint8Array): Uint8Array {
  const trailer = encodeTrailer(payloads.subarray(0, prefixBytes), indexBytes, payloads.length, core.crc32cSync);
  return new Uint8Array(Buffer.concat([payloads, indexBytes, trailer]));
}
