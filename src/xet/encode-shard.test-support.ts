import { joinBytes } from './encode-xorb.test-support.ts';
import type { ShardFile } from './read-shard.ts';
import { bytesOfXetHash, type HashedBytes, type XetHash } from './xet-hash.ts';

/** Writes shards, for tests only. Fields may lie. */
export interface PlainShard {
  files: ShardFile[];
  xorbs: { hash: XetHash; chunks: HashedBytes[] }[];
  footer?: boolean;
}

const tag = Buffer.from('48465265706f4d6574614461746100556967456a7b815783a5bdd95ccdd14aa9', 'hex');
export const sectionEnd = new Uint8Array(Buffer.concat([Buffer.alloc(32, 255), Buffer.alloc(16)]));

export function encodeShard({ files, xorbs, footer = false }: PlainShard): Uint8Array {
  const header = joinBytes(tag, u64s(2, footer ? 200 : 0));
  const fileSection = joinBytes(...files.map(encodeFile), sectionEnd);
  const xorbSection = joinBytes(...xorbs.map(encodeXorbInfo), sectionEnd);
  const sections = joinBytes(header, fileSection, xorbSection);
  if (!footer) return sections;
  const counts = [files.length, xorbs.length, xorbs.reduce((sum, xorb) => sum + xorb.chunks.length, 0)];
  const sizes = [12 * counts[0]!, 12 * counts[1]!, 16 * counts[2]!];
  const lookups = new Uint8Array(sizes[0]! + sizes[1]! + sizes[2]!);
  const at = sections.length;
  return joinBytes(
    sections,
    lookups,
    u64s(1, 48, 48 + fileSection.length, at, counts[0]!, at + sizes[0]!, counts[1]!),
    u64s(at + sizes[0]! + sizes[1]!, counts[2]!),
    new Uint8Array(32),
    u64s(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, at + lookups.length),
  );
}

function encodeFile({ hash, terms, sha256 }: ShardFile): Uint8Array {
  const verified = terms.some((term) => term.verification !== undefined);
  const flags = (verified ? 0x80000000 : 0) + (sha256 === undefined ? 0 : 0x40000000);
  return joinBytes(
    entry(hash, flags, terms.length, 0, 0),
    ...terms.map(({ xorb, rawBytes, range }) => entry(xorb, 0, rawBytes, range.start, range.end)),
    ...(verified ? terms.map((term) => entry(term.verification!, 0, 0, 0, 0)) : []),
    ...(sha256 === undefined ? [] : [entry(sha256, 0, 0, 0, 0)]),
  );
}

function encodeXorbInfo({ hash, chunks }: PlainShard['xorbs'][number]): Uint8Array {
  let at = 0;
  const entries = chunks.map((chunk) => {
    at += chunk.rawBytes;
    return entry(chunk.hash, at - chunk.rawBytes, chunk.rawBytes, 0, 0);
  });
  return joinBytes(entry(hash, 0, chunks.length, at, 0), ...entries);
}

/** A hash and four 4-byte fields: what every section is made of. */
export function entry(hash: XetHash, ...fields: [number, number, number, number]): Uint8Array {
  const rest = Buffer.alloc(16);
  fields.forEach((value, index) => rest.writeUInt32LE(value, index * 4));
  return joinBytes(bytesOfXetHash(hash), rest);
}

function u64s(...values: number[]): Uint8Array {
  const bytes = Buffer.alloc(8 * values.length);
  values.forEach((value, index) => bytes.writeBigUInt64LE(BigInt(value), index * 8));
  return bytes;
}
