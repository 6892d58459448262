import { FirnError } from '../checkpoint/firn-error.ts';
import type { ShardCursor } from './shard-cursor.ts';
import { textOfXetHash, type HashedBytes, type XetHash } from './xet-hash.ts';
import { chunkRawBytesMax, xorbChunksMax } from './xet-limits.ts';

/**
 * What a shard says about a xorb. The client sends it for other clients' deduplication; the xorb itself says it too.
 */
export interface ShardXorb {
  hash: XetHash;
  chunkCount: number;
  rawBytes: number;
  /** Reads chunk `index`, below `chunkCount`. Chunks are not kept as objects: a shard may name a million. */
  chunkAt(index: number): HashedBytes;
}

const entryBytes = 48;

/**
 * Reads the section of xorbs: for each one an entry, then one for each chunk. Chunks must lie back to back in the
 * unpacked xorb and add up to its size.
 *
 * Source: metadata_shard/xorb_structs.rs of xet-core. @throws FirnError `invalid-request`.
 */
export function readShardXorbs(cursor: ShardCursor): ShardXorb[] {
  const xorbs: ShardXorb[] = [];
  for (;;) {
    const entry = cursor.entry('the xorbs');
    if (cursor.isSectionEnd(entry)) return xorbs;
    xorbs.push(readXorbEntry(cursor, entry));
  }
}

function readXorbEntry(cursor: ShardCursor, entry: number): ShardXorb {
  const hash = cursor.hash(entry);
  const chunkCount = cursor.u32(entry + 36);
  const declaredBytes = cursor.u32(entry + 40);
  if (chunkCount === 0 || chunkCount > xorbChunksMax)
    throw invalid(hash, `${chunkCount} chunks; a xorb has 1 to ${xorbChunksMax}`);
  const firstChunk = cursor.at;
  let rawBytes = 0;
  for (let index = 0; index < chunkCount; index++) {
    const chunk = cursor.entry('the xorbs');
    const chunkBytes = cursor.u32(chunk + 36);
    if (cursor.u32(chunk + 32) !== rawBytes) throw invalid(hash, `chunk ${index} out of its place`);
    if (chunkBytes === 0 || chunkBytes > chunkRawBytesMax) throw invalid(hash, `a chunk of ${chunkBytes} bytes`);
    rawBytes += chunkBytes;
  }
  if (rawBytes !== declaredBytes) throw invalid(hash, `chunks of ${rawBytes} bytes, but declares ${declaredBytes}`);
  const { bytes } = cursor;
  const chunkAt = (index: number) => {
    const at = firstChunk + index * entryBytes;
    return { hash: textOfXetHash(bytes, at), rawBytes: cursor.u32(at + 36) };
  };
  return { hash, chunkCount, rawBytes, chunkAt };
}

function invalid(hash: XetHash, what: string): FirnError {
  return new FirnError('invalid-request', `The xorb ${hash} of the shard has ${what}.`);
}
