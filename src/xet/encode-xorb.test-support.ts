/** Writes xorbs, for tests only: the gateway never packs any. */
export type Scheme = 'none' | 'lz4' | 'grouped-lz4';

export interface PlainChunk {
  raw: Uint8Array;
  scheme: Scheme;
}

export function encodeXorb(chunks: PlainChunk[]): Uint8Array {
  return joinBytes(...chunks.map(encodeChunk));
}

export function encodeChunk({ raw, scheme }: PlainChunk): Uint8Array {
  const packed = scheme === 'none' ? raw : encodeLz4Frame(scheme === 'lz4' ? raw : grouped(raw));
  return joinBytes(chunkHeader({ scheme, packedBytes: packed.length, rawBytes: raw.length }), packed);
}

export function chunkHeader(of: { scheme: Scheme | number; packedBytes: number; rawBytes: number }): Uint8Array {
  const header = Buffer.alloc(8);
  header.writeUIntLE(of.packedBytes, 1, 3);
  header[4] = typeof of.scheme === 'number' ? of.scheme : ['none', 'lz4', 'grouped-lz4'].indexOf(of.scheme);
  header.writeUIntLE(of.rawBytes, 5, 3);
  return header;
}

/** A footer of the right length; its fields after the mark are filler, as readers skip them. */
export function xorbFooter(version: 0 | 1, chunkCount: number): Uint8Array {
  const info = Buffer.alloc(version === 0 ? 60 + 36 * chunkCount : 92 + 40 * chunkCount, 7);
  info.write('XETBLOB');
  info[7] = version;
  const length = Buffer.alloc(4);
  length.writeUInt32LE(info.length);
  return joinBytes(info, length);
}

export interface Lz4Options {
  blockBytes?: number;
  linked?: boolean;
  blockChecksums?: boolean;
  contentSize?: boolean;
  contentChecksum?: boolean;
}

/** An LZ4 frame with blocks of `blockBytes`; checksums are filler, as the decoder skips them. */
export function encodeLz4Frame(raw: Uint8Array, options: Lz4Options = {}): Uint8Array {
  const { blockBytes = 1 << 18, linked, blockChecksums, contentSize, contentChecksum } = options;
  const flags =
    0x40 | (linked ? 0 : 0x20) | (blockChecksums ? 0x10 : 0) | (contentSize ? 8 : 0) | (contentChecksum ? 4 : 0);
  const sizeCode = blockBytes <= 1 << 16 ? 4 : blockBytes <= 1 << 18 ? 5 : 6;
  const filler = Buffer.alloc(4, 9);
  const parts: Uint8Array[] = [Buffer.from([0x04, 0x22, 0x4d, 0x18, flags, sizeCode << 4])];
  if (contentSize) parts.push(Buffer.alloc(8));
  parts.push(Buffer.alloc(1));
  for (let start = 0; start < raw.length; start += blockBytes) {
    const end = Math.min(start + blockBytes, raw.length);
    const packed = encodeBlock(raw, { start, end, first: linked ? 0 : start });
    const field = Buffer.alloc(4);
    const stored = packed.length >= end - start;
    field.writeUInt32LE(stored ? ((end - start) | 0x80000000) >>> 0 : packed.length);
    parts.push(field, stored ? raw.subarray(start, end) : packed);
    if (blockChecksums) parts.push(filler);
  }
  parts.push(Buffer.alloc(4));
  if (contentChecksum) parts.push(filler);
  return joinBytes(...parts);
}

/** Greedy matching over a table of the last place of each 4 bytes. */
function encodeBlock(raw: Uint8Array, of: { start: number; end: number; first: number }): Uint8Array {
  const out: number[] = [];
  const places = new Map<number, number>();
  const word = (at: number) => (raw[at]! | (raw[at + 1]! << 8) | (raw[at + 2]! << 16)) + raw[at + 3]! * 2 ** 24;
  for (let at = of.first; at < of.start - 4; at++) places.set(word(at), at);
  let literalsFrom = of.start;
  // The format wants the last 5 bytes as literals and no match in the last 12.
  for (let at = of.start; at < of.end - 12;) {
    const key = word(at);
    const from = places.get(key);
    places.set(key, at);
    if (from === undefined || at - from > 65535) {
      at++;
      continue;
    }
    let length = 4;
    while (at + length < of.end - 5 && raw[from + length] === raw[at + length]) length++;
    writeSequence(out, raw.subarray(literalsFrom, at), { distance: at - from, length });
    at += length;
    literalsFrom = at;
  }
  writeSequence(out, raw.subarray(literalsFrom, of.end));
  return Uint8Array.from(out);
}

function writeSequence(out: number[], literals: Uint8Array, match?: { distance: number; length: number }): void {
  const extra = match === undefined ? 0 : match.length - 4;
  out.push((Math.min(literals.length, 15) << 4) | Math.min(extra, 15));
  writeLength(out, literals.length);
  for (const byte of literals) out.push(byte);
  if (match === undefined) return;
  out.push(match.distance & 255, match.distance >> 8);
  writeLength(out, extra);
}

function writeLength(out: number[], length: number): void {
  if (length < 15) return;
  let rest = length - 15;
  for (; rest >= 255; rest -= 255) out.push(255);
  out.push(rest);
}

function grouped(raw: Uint8Array): Uint8Array {
  return joinBytes(...[0, 1, 2, 3].map((first) => raw.filter((_, index) => index % 4 === first)));
}

export function joinBytes(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
