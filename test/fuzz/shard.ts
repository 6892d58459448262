/**
 * Fuzz target of the shard parser. Any bytes are a shard within the limits, which written again is read as the same, or
 * `invalid-request` or `payload-too-large`.
 *
 * `npx tsx test/fuzz/shard.ts --seconds 60 --seed 1` mutates the corpus for that long; the same seed tries the same
 * inputs in the same order. The replay test runs every corpus file and a short, fixed stretch.
 */
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { FirnError } from '../../src/checkpoint/firn-error.ts';
import { encodeShard, type PlainShard } from '../../src/xet/encode-shard.test-support.ts';
import { readShard, type ShardFile } from '../../src/xet/read-shard.ts';
import { chunkRawBytesMax, xorbChunksMax } from '../../src/xet/xet-limits.ts';
import { type FuzzTarget, runFuzz } from './fuzz-target.ts';

const words = [0, 1, 2, 3, 47, 48, 96, 200, 8191, 8192, 8193, 131_072, 0x40000000, 0x80000000, 0xc0000000, 0xffffffff]
  .map((value) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  })
  // The end of a section.
  .concat(Buffer.concat([Buffer.alloc(32, 255), Buffer.alloc(16)]));

export const shardTarget: FuzzTarget = { corpus: 'shard', words, alignBytes: 4, check: checkShard };

function checkShard(bytes: Uint8Array): string {
  const shard = outcome(bytes);
  if (typeof shard === 'string') return shard;
  for (const file of shard.files) checkFile(file);
  for (const { chunks } of shard.xorbs)
    if (chunks.some(({ rawBytes }) => rawBytes < 1 || rawBytes > chunkRawBytesMax))
      throw new Error('accepted, but a chunk has no bytes, or too many');
  for (const footer of [false, true])
    if (!isDeepStrictEqual(outcome(encodeShard({ ...shard, footer })), shard))
      throw new Error('accepted, but written again it is another shard');
  return 'accepted';
}

function outcome(bytes: Uint8Array): PlainShard | string {
  try {
    const { files, xorbs } = readShard(bytes);
    const plain = xorbs.map(({ hash, chunkCount, chunkAt }) => ({
      hash,
      chunks: Array.from({ length: chunkCount }, (_, index) => chunkAt(index)),
    }));
    return { files, xorbs: plain };
  } catch (error) {
    if (error instanceof FirnError && ['invalid-request', 'payload-too-large'].includes(error.code)) return error.code;
    throw error;
  }
}

function checkFile({ hash, terms, sha256 }: ShardFile): void {
  if (terms.length === 0) throw new Error('accepted, but a file has no terms');
  const hashes = [hash, sha256, ...terms.flatMap(({ xorb, verification }) => [xorb, verification])];
  if (!hashes.every((each) => each === undefined || /^[0-9a-f]{64}$/.test(each)))
    throw new Error('accepted, but a hash is none');
  for (const { range, rawBytes } of terms) {
    const chunks = range.end - range.start;
    if (chunks < 1 || range.end > xorbChunksMax || rawBytes < chunks || rawBytes > xorbChunksMax * chunkRawBytesMax)
      throw new Error('accepted, but a term cannot be');
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) runFuzz(shardTarget, process.argv.slice(2));
