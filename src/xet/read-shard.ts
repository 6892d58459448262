import { FirnError } from '../checkpoint/firn-error.ts';
import { checkShardFooter } from './check-shard-footer.ts';
import { ShardCursor } from './shard-cursor.ts';
import { readShardXorbs, type ShardXorb } from './read-shard-xorbs.ts';
import type { XetHash } from './xet-hash.ts';
import { chunkRawBytesMax, shardBytesMax, shardFilesMax, shardTermsMax, xorbChunksMax } from './xet-limits.ts';

/** A run of a file's bytes: chunks of one xorb. */
export interface ShardTerm {
  xorb: XetHash;
  /** Indices of chunks: `start` inclusive, `end` exclusive, `start` < `end` <= `xorbChunksMax`. */
  range: { start: number; end: number };
  rawBytes: number;
  /** The range hash of the chunks, if the shard holds it. */
  verification: XetHash | undefined;
}

export interface ShardFile {
  hash: XetHash;
  /** In the order of the file's bytes. Clients send no empty files, so there is at least one. */
  terms: ShardTerm[];
  /** Of the file, as the usual hex, if the shard holds it. */
  sha256: string | undefined;
}

export interface Shard {
  files: ShardFile[];
  xorbs: ShardXorb[];
}

/** Bits of a file's flags. Others are refused: they may stand for entries that follow. */
const withVerification = 0x80000000;
const withMetadata = 0x40000000;
/** A chunk has at least one byte and at most `chunkRawBytesMax`. */
const termRawBytesMax = xorbChunksMax * chunkRawBytesMax;

/**
 * Parses a shard as clients upload it, to either version of the route: header, files, xorbs and perhaps lookup tables
 * with a footer. Everything in it is a claim: `planFile` checks the files. Xorbs stay views of `bytes`.
 *
 * Source: metadata_shard/ of xet-core (header version 2, footer version 1). @throws FirnError `invalid-request`;
 * `payload-too-large` beyond the limits of xet-limits.ts.
 */
export function readShard(bytes: Uint8Array): Shard {
  if (bytes.length > shardBytesMax) throw tooLarge(`${shardBytesMax} bytes`);
  const cursor = new ShardCursor(bytes);
  const { footerBytes } = cursor.header();
  const filesAt = cursor.at;
  const files = readFiles(cursor);
  const xorbsAt = cursor.at;
  const xorbs = readShardXorbs(cursor);
  if (footerBytes > 0) checkShardFooter(cursor, { filesAt, xorbsAt });
  else if (cursor.at !== bytes.length)
    throw new FirnError('invalid-request', 'The shard goes on after its last section, although it has no footer.');
  return { files, xorbs };
}

function readFiles(cursor: ShardCursor): ShardFile[] {
  const files: ShardFile[] = [];
  let terms = 0;
  for (;;) {
    const entry = cursor.entry('the files');
    if (cursor.isSectionEnd(entry)) return files;
    if (files.length === shardFilesMax) throw tooLarge(`${shardFilesMax} files`);
    const count = cursor.u32(entry + 36);
    terms += count;
    if (terms > shardTermsMax) throw tooLarge(`${shardTermsMax} terms`);
    files.push(readFile(cursor, entry, count));
  }
}

function readFile(cursor: ShardCursor, entry: number, count: number): ShardFile {
  const hash = cursor.hash(entry);
  const flags = cursor.u32(entry + 32);
  if ((flags & ~(withVerification | withMetadata)) !== 0)
    throw new FirnError('invalid-request', `The file ${hash} of the shard has flags that are not known.`);
  if (count === 0) throw new FirnError('invalid-request', `The file ${hash} of the shard has no terms.`);
  const terms: ShardTerm[] = [];
  for (let index = 0; index < count; index++) terms.push(readTerm(cursor, { file: hash, previous: terms.at(-1) }));
  if (flags & withVerification) for (const term of terms) term.verification = cursor.hash(cursor.entry('the files'));
  const sha256 = flags & withMetadata ? cursor.hash(cursor.entry('the files')) : undefined;
  return { hash, terms, sha256 };
}

function readTerm(cursor: ShardCursor, of: { file: XetHash; previous: ShardTerm | undefined }): ShardTerm {
  const entry = cursor.entry('the files');
  const xorb = cursor.hash(entry, of.previous?.xorb);
  const rawBytes = cursor.u32(entry + 36);
  const range = { start: cursor.u32(entry + 40), end: cursor.u32(entry + 44) };
  if (range.start >= range.end || range.end > xorbChunksMax)
    throw new FirnError(
      'invalid-request',
      `The file ${of.file} of the shard names chunks ${range.start} to ${range.end} of a xorb, which is no range.`,
    );
  if (rawBytes < range.end - range.start || rawBytes > termRawBytesMax)
    throw new FirnError(
      'invalid-request',
      `The file ${of.file} of the shard says that ${range.end - range.start} chunks hold ${rawBytes} bytes.`,
    );
  return { xorb, range, rawBytes, verification: undefined };
}

function tooLarge(limit: string): FirnError {
  return new FirnError('payload-too-large', `A shard has at most ${limit}.`);
}
