import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { NativeCore } from '../src/native/core.ts';
import { encodePrefix, encodeTrailer } from '../src/package/package-frame.ts';
import type { FormatVersion } from '../src/package/package-index.ts';

/** The bytes of a package with this index. */
export function packageOf(
  core: NativeCore,
  id: string,
  version: FormatVersion,
  payloads: Uint8Array,
  index: Uint8Array,
): Buffer {
  const prefix = encodePrefix(id, version);
  return Buffer.concat([
    prefix,
    payloads,
    index,
    encodeTrailer(prefix, index, prefix.length + payloads.length, core.crc32cSync),
  ]);
}

export interface CrossedFile {
  readonly path: string;
  readonly header: Buffer;
  readonly data: Buffer;
  readonly bytes: Buffer;
}

/** Bytes of a tensor: its name twice. */
const tensorBytes = 2;

/**
 * Two files of two tensors each. The first link's have a and b, c and d, the next one's a and c, b and d, and so on. So
 * each file needs both files of the previous link.
 */
export function crossedFiles(link: number): CrossedFile[] {
  return filesOf(link % 2 === 0 ? ['ab', 'cd'] : ['ac', 'bd']);
}

/** Files with a tensor for each letter of their names. */
function filesOf(names: readonly string[]): CrossedFile[] {
  return names.map((letters) => {
    const entries = [...letters].map((name, i) => [
      name,
      { dtype: 'U8', shape: [tensorBytes], data_offsets: [tensorBytes * i, tensorBytes * (i + 1)] },
    ]);
    const header = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
    const data = Buffer.from([...letters].map((name) => `${name}${name}`).join(''));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    return { path: `${letters}.safetensors`, header, data, bytes: Buffer.concat([length, header, data]) };
  });
}

/** `count` files of one tensor each, and after them a file whose only block gathers all of them. */
export function gatheringFiles(link: number, count: number): CrossedFile[] {
  const letters = Array.from({ length: count }, (_, i) => String.fromCharCode(97 + i));
  return filesOf(link === 0 ? letters : [letters.join('')]);
}

/** A package of such files. */
export function crossedPackage(core: NativeCore, link: number, how: 'kept' | 'gathered'): Buffer {
  return packageOfFiles(core, link, crossedFiles(link), how);
}

/**
 * A package of these files, written field by field (docs/format.md): a base, or a delta whose payloads are as short as
 * possible.
 */
export function packageOfFiles(
  core: NativeCore,
  link: number,
  contents: readonly CrossedFile[],
  how: 'kept' | 'gathered',
): Buffer {
  const idOf = (of: number): string => of.toString(16).padStart(32, '0');
  const payloads: Buffer[] = [];
  const files = contents.map(({ path, header, data, bytes }, number) => {
    const deflated = deflateRawSync(header);
    const head = [
      Buffer.of(0, path.length),
      Buffer.from(path),
      Buffer.from(createHash('sha256').update(bytes).digest()),
      Buffer.of(0, 0, 0),
      varint(header.length),
      varint(deflated.length),
      deflated,
    ];
    if (link > 0 && how === 'kept') return Buffer.concat([...head, Buffer.of(1, 43, 2, 0, number, 1, number)]);
    const payload = link > 0 ? Buffer.of(4) : Buffer.of(0, ...data);
    payloads.push(payload);
    const entry = Buffer.of(1, 1, data.length / tensorBytes, payload.length, 0, 0, 0, 0);
    entry.writeUInt32LE(core.crc32cSync(payload), 4);
    return Buffer.concat([...head, entry]);
  });
  const flags = link > 0 ? Buffer.from(`01${idOf(link - 1)}`, 'hex') : Buffer.of(0);
  return packageOf(
    core,
    idOf(link),
    6,
    Buffer.concat(payloads),
    Buffer.concat([flags, Buffer.of(0, 0, 0, files.length), ...files]),
  );
}

/** docs/format.md, "Conventions"; below 2^14. */
function varint(value: number): Buffer {
  return value < 128 ? Buffer.of(value) : Buffer.of((value & 127) | 128, value >>> 7);
}
