import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { NativeCore } from '../src/native/core.ts';
import { encodePrefix, encodeTrailer } from '../src/package/package-frame.ts';
import type { FormatVersion } from '../src/package/package-index.ts';

/** The bytes of a package with this index. */
export function packageOf(core: NativeCore, id: string, version: FormatVersion, payloads: Uint8Array, index: Uint8Array): Buffer {
  const prefix = encodePrefix(id, version);
  return Buffer.concat([prefix, payloads, index, encodeTrailer(prefix, index, prefix.length + payloads.length, core.crc32cSync)]);
}

export interface CrossedFile {
  readonly path: string;
  readonly header: Buffer;
  readonly data: Buffer;
  readonly bytes: Buffer;
}

/** Two files of two tensors each: the first link's have a and b, c and d, the next one's a and c, b and d, and so on, so that each file needs both of the link before. */
export function crossedFiles(link: number): CrossedFile[] {
  const names = link % 2 === 0 ? ['ab', 'cd'] : ['ac', 'bd'];
  return names.map((pair) => {
    const entries = [...pair].map((name, i) => [name, { dtype: 'U8', shape: [2], data_offsets: [2 * i, 2 * i + 2] }]);
    const header = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
    const data = Buffer.from([...pair].map((name) => `${name}${name}`).join(''));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    return { path: `${pair}.safetensors`, header, data, bytes: Buffer.concat([length, header, data]) };
  });
}

/** A package of these files, written field by field (docs/format.md): a base, or a delta without a byte of its own but what says so. */
export function crossedPackage(core: NativeCore, link: number, how: 'kept' | 'gathered'): Buffer {
  const idOf = (of: number): string => of.toString(16).padStart(32, '0');
  const payloads: Buffer[] = [];
  const files = crossedFiles(link).map(({ path, header, data, bytes }, number) => {
    const deflated = deflateRawSync(header);
    const head = [
      Buffer.of(0, path.length),
      Buffer.from(path),
      Buffer.from(createHash('sha256').update(bytes).digest()),
      Buffer.of(0, 0, 0, header.length, deflated.length),
      deflated,
    ];
    if (link > 0 && how === 'kept') return Buffer.concat([...head, Buffer.of(1, 43, 2, 0, number, 1, number)]);
    const payload = link > 0 ? Buffer.of(4) : Buffer.of(0, ...data);
    payloads.push(payload);
    const entry = Buffer.of(1, 1, 2, payload.length, 0, 0, 0, 0);
    entry.writeUInt32LE(core.crc32cSync(payload), 4);
    return Buffer.concat([...head, entry]);
  });
  const flags = link > 0 ? Buffer.from(`01${idOf(link - 1)}`, 'hex') : Buffer.of(0);
  return packageOf(core, idOf(link), 6, Buffer.concat(payloads), Buffer.concat([flags, Buffer.of(0, 0, 0, files.length), ...files]));
}
