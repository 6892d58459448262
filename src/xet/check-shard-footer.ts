import { FirnError } from '../checkpoint/firn-error.ts';
import { shardFooterBytes, type ShardCursor } from './shard-cursor.ts';

const footerVersion = 1;
/** Places of the footer's 8-byte fields. */
const field = {
  version: 0,
  filesAt: 8,
  xorbsAt: 16,
  /** Of each lookup table: where it begins, then its number of entries. */
  lookups: [
    { place: 24, entryBytes: 12 },
    { place: 40, entryBytes: 12 },
    { place: 56, entryBytes: 16 },
  ],
  chunkKey: 72,
  footerAt: 192,
};

/**
 * Checks the rest of a shard that has a footer: three lookup tables (of files, xorbs and chunks) and the footer lie
 * back to back after the sections and fill the bytes. The tables are not read: all they say follows from the sections.
 *
 * Source: metadata_shard/shard_format.rs of xet-core. @throws FirnError `invalid-request`.
 */
export function checkShardFooter(cursor: ShardCursor, sections: { filesAt: number; xorbsAt: number }): void {
  const footerAt = cursor.bytes.length - shardFooterBytes;
  if (footerAt < cursor.at) throw invalid('is cut off');
  const version = cursor.u64(footerAt + field.version);
  if (version !== footerVersion) throw invalid(`has version ${version}; only ${footerVersion} is known`);
  if (cursor.u64(footerAt + field.filesAt) !== sections.filesAt) throw invalid('misplaces the files');
  if (cursor.u64(footerAt + field.xorbsAt) !== sections.xorbsAt) throw invalid('misplaces the xorbs');
  let next = cursor.at;
  for (const { place, entryBytes } of field.lookups) {
    if (cursor.u64(footerAt + place) !== next) throw invalid('misplaces a lookup table');
    const entries = cursor.u64(footerAt + place + 8);
    if (entries > (footerAt - next) / entryBytes) throw invalid('declares a lookup table beyond the end');
    next += entries * entryBytes;
  }
  if (next !== footerAt || cursor.u64(footerAt + field.footerAt) !== footerAt) throw invalid('is not where it says');
  if (cursor.bytes.subarray(footerAt + field.chunkKey, footerAt + field.chunkKey + 32).some((byte) => byte !== 0))
    throw invalid('says that the hashes of chunks are protected with a key, which an upload may not do');
}

function invalid(what: string): FirnError {
  return new FirnError('invalid-request', `The footer of the shard ${what}.`);
}
