/**
 * Fuzz target of the xorb reader. Any bytes are a xorb whose chunks lie back to back, unpack to their declared sizes
 * and hash the same again, or `invalid-request` or `payload-too-large`; the outcome is the same however the bytes are
 * cut into pieces.
 *
 * `npx tsx test/fuzz/xorb.ts --seconds 60 --seed 1` mutates the corpus for that long; the same seed tries the same
 * inputs in the same order. The replay test runs every corpus file and a short, fixed stretch.
 */
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { FirnError } from '../../src/checkpoint/firn-error.ts';
import { decodeChunk, parseChunkHeader } from '../../src/xet/decode-chunk.ts';
import { XorbReader, type XorbTable } from '../../src/xet/read-xorb.ts';
import { createXetHasher } from '../../src/xet/xet-hash.ts';
import { chunkHeaderBytes, chunkRawBytesMax, xorbRawBytesMax } from '../../src/xet/xet-limits.ts';
import { type FuzzTarget, runFuzz } from './fuzz-target.ts';

const hasher = await createXetHasher();

const words = [
  // Sizes of chunks, as three bytes, and ways of packing.
  ...[0, 1, 2, 9, 255, 131_071, 131_072, 131_073, 262_144, 0xffffff].map((value) => {
    const bytes = Buffer.alloc(3);
    bytes.writeUIntLE(value, 0, 3);
    return bytes;
  }),
  ...[0, 1, 2, 3].map((scheme) => Uint8Array.of(scheme)),
  // A frame's beginning, its end, a stored block, and a footer's beginning.
  Buffer.from('04224d186040', 'hex'),
  Buffer.alloc(4),
  Buffer.from('01000080', 'hex'),
  Buffer.from('XETBLOB\u0001'),
];

export const xorbTarget: FuzzTarget = { corpus: 'xorb', words, alignBytes: 1, check: checkXorb };

function checkXorb(bytes: Uint8Array): string {
  const whole = outcome([bytes]);
  // Every cut is tried at some input.
  const at = bytes.length === 0 ? 0 : bytes[bytes.length >> 1]! % bytes.length;
  const single = Array.from(bytes.subarray(0, 64), (byte) => Uint8Array.of(byte));
  for (const pieces of [
    [bytes.subarray(0, at), bytes.subarray(at)],
    [...single, bytes.subarray(64)],
  ])
    if (!isDeepStrictEqual(outcome(pieces), whole)) throw new Error('pieces are read differently from the whole');
  if (typeof whole === 'string') return whole;
  checkTable(whole, bytes);
  return 'accepted';
}

function outcome(pieces: readonly Uint8Array[]): XorbTable | string {
  const reader = new XorbReader(hasher);
  try {
    for (const piece of pieces) reader.push(piece);
    return reader.finish();
  } catch (error) {
    if (error instanceof FirnError && ['invalid-request', 'payload-too-large'].includes(error.code)) return error.code;
    throw error;
  }
}

function checkTable({ chunks, rawBytes, packedBytes }: XorbTable, bytes: Uint8Array): void {
  let [offset, sum] = [0, 0];
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.offset !== offset) throw new Error(`accepted, but chunk ${index} does not follow the one before`);
    const header = parseChunkHeader(bytes.subarray(offset, offset + chunkHeaderBytes));
    const raw = decodeChunk(header, bytes.subarray(offset + chunkHeaderBytes, offset + chunk.lengthBytes));
    if (raw.length !== chunk.rawBytes || raw.length < 1 || raw.length > chunkRawBytesMax)
      throw new Error(`accepted, but chunk ${index} unpacks to ${raw.length} bytes, not ${chunk.rawBytes}`);
    if (hasher.hashChunk(raw) !== chunk.hash) throw new Error(`accepted, but chunk ${index} has another hash`);
    offset += chunk.lengthBytes;
    sum += raw.length;
  }
  if (sum !== rawBytes || sum > xorbRawBytesMax || offset !== packedBytes || offset > bytes.length)
    throw new Error('accepted, but the sizes do not add up');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) runFuzz(xorbTarget, process.argv.slice(2));
