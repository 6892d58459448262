import { setImmediate } from 'node:timers/promises';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { ShardFile, ShardTerm } from './read-shard.ts';
import type { XorbChunk } from './read-xorb.ts';
import type { HashedBytes, XetHash, XetHasher } from './xet-hash.ts';
import { fileChunksMax } from './xet-limits.ts';

/** How to rebuild a file: the unpacked chunks of the ranges, one after another. */
export interface FilePlan {
  sizeBytes: number;
  chunkCount: number;
  ranges: { xorb: XetHash; start: number; end: number; rawBytes: number }[];
}

/**
 * Checks what a shard claims about a file against the xorbs that have been uploaded: that each range exists and has the
 * claimed size and range hash, and that all chunks together have the file's hash. Costs about 3 microseconds a chunk on
 * the calling thread, with other work going between; `chunksMax` (default: `fileChunksMax`) bounds it.
 *
 * @throws FirnError `invalid-request` for a xorb or range that is not there, or of another size; `digest-mismatch`;
 * `payload-too-large` beyond `chunksMax`. Throws the reason of `signal` when that aborts.
 */
export async function planFile(options: {
  file: ShardFile;
  /** The chunks of an uploaded xorb that the client may use. */
  chunksOf: (xorb: XetHash) => readonly XorbChunk[] | undefined;
  hasher: XetHasher;
  chunksMax?: number;
  signal?: AbortSignal;
}): Promise<FilePlan> {
  const { file, chunksOf, hasher, chunksMax = fileChunksMax, signal } = options;
  const fileChunks: HashedBytes[] = [];
  const ranges: FilePlan['ranges'] = [];
  let sizeBytes = 0;
  let unpausedChunks = 0;
  for (const [index, term] of file.terms.entries()) {
    const { start, end } = term.range;
    if (fileChunks.length + end - start > chunksMax)
      throw new FirnError('payload-too-large', `The file ${file.hash} has more than ${chunksMax} chunks.`);
    const all = chunksOf(term.xorb);
    if (all === undefined) throw invalid(file, index, `names the xorb ${term.xorb}, which has not been uploaded`);
    if (start >= end || end > all.length)
      throw invalid(file, index, `names chunks ${start} to ${end} of a xorb that has ${all.length}`);
    const chunks = all.slice(start, end);
    checkTerm({ file, index, term, chunks, hasher });
    // One by one: a call with thousands of arguments could exceed the stack.
    for (const chunk of chunks) fileChunks.push(chunk);
    ranges.push({ xorb: term.xorb, start, end, rawBytes: term.rawBytes });
    sizeBytes += term.rawBytes;
    unpausedChunks += chunks.length;
    if (unpausedChunks < chunksPerTurn) continue;
    unpausedChunks = 0;
    await setImmediate();
    signal?.throwIfAborted();
  }
  const hash = await hasher.hashFile(fileChunks, signal);
  if (hash !== file.hash)
    throw new FirnError(
      'digest-mismatch',
      `The shard names a file ${file.hash}, but its chunks have the hash ${hash}.`,
    );
  return { sizeBytes, chunkCount: fileChunks.length, ranges };
}

/** Chunks whose range hashes are checked without a pause: some 5 ms. */
const chunksPerTurn = 4096;

function checkTerm(options: {
  file: ShardFile;
  index: number;
  term: ShardTerm;
  chunks: XorbChunk[];
  hasher: XetHasher;
}): void {
  const { file, index, term, chunks, hasher } = options;
  const rawBytes = chunks.reduce((sum, chunk) => sum + chunk.rawBytes, 0);
  if (rawBytes !== term.rawBytes)
    throw invalid(file, index, `says ${term.rawBytes} bytes where its chunks hold ${rawBytes}`);
  if (term.verification === undefined) throw invalid(file, index, 'has no verification hash');
  if (hasher.hashRange(chunks.map((chunk) => chunk.hash)) !== term.verification)
    throw new FirnError(
      'digest-mismatch',
      `Term ${index} of the file ${file.hash} has a verification hash that its chunks do not have.`,
    );
}

function invalid(file: ShardFile, index: number, what: string): FirnError {
  return new FirnError('invalid-request', `Term ${index} of the file ${file.hash} ${what}.`);
}
