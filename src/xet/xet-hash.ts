import { setImmediate } from 'node:timers/promises';
import { createBLAKE3 } from 'hash-wasm';
import { FirnError } from '../checkpoint/firn-error.ts';

/** A 32-byte Xet hash in its text form: 64 lower-case hex digits, each group of 8 bytes in reverse order. */
export type XetHash = string;

/** What an aggregated hash is made of: a chunk (or a node of the tree) and its raw bytes. */
export interface HashedBytes {
  hash: XetHash;
  rawBytes: number;
}

/** The hash functions of Xet. `createXetHasher` makes one for a thread; its calls may overlap. */
export interface XetHasher {
  /** Of a chunk's raw bytes. */
  hashChunk(bytes: Uint8Array): XetHash;
  /** Of a xorb, from all of its chunks in order: the root of their hash tree. */
  hashXorb(chunks: readonly HashedBytes[]): XetHash;
  /**
   * Of a file, from all of its chunks in order: the root of their hash tree, hashed once more with a key of zeros. A
   * million chunks take 2 s, so it lets other work of the thread go between and stops when `signal` aborts.
   */
  hashFile(chunks: readonly HashedBytes[], signal?: AbortSignal): Promise<XetHash>;
  /** Of the chunks that one term of a file covers: shows that whoever names the term knows their hashes. */
  hashRange(chunkHashes: readonly XetHash[]): XetHash;
}

/** Keys of BLAKE3 (merklehash/data_hash.rs and metadata_shard/chunk_verification.rs of xet-core), in hex. */
const chunkKey = '6697f5775b9550de3135cbaca597181c9de421109beb2b58b4d0b04b93adf229';
const nodeKey = '017ec5c7a5472996fd946666b48a02e65ddd536f37c76dd2f86352e64a53713f';
const rangeKey = '7f1857d6ce56ed66127ff913e7a5c3f3a4cd26d5b5db49e64124987f28fb94c3';
const fileKey = '00'.repeat(32);

/** The hash of a file or xorb without chunks. */
export const emptyXetHash: XetHash = '0'.repeat(64);

/**
 * Children of a node of the hash tree: at least 3 unless the level ends, at most 9 (merklehash/aggregated_hashes.rs).
 */
const childrenMin = 3;
const childrenMax = 9;

/** The same hasher at every call, made at the first. */
export function onceMade(create: () => Promise<XetHasher>): () => Promise<XetHasher> {
  let made: Promise<XetHasher> | undefined;
  return () => (made ??= create());
}

/** Compiles BLAKE3 (WebAssembly), once per key. */
export async function createXetHasher(): Promise<XetHasher> {
  const [chunk, node, range, file] = await Promise.all([chunkKey, nodeKey, rangeKey, fileKey].map(keyedHash));
  return {
    hashChunk: chunk!,
    hashXorb: (chunks) => finish(hashTree(chunks, node!)),
    hashFile: async (chunks, signal) => {
      if (chunks.length === 0) return emptyXetHash;
      return file!(bytesOfXetHash(await finishInTurns(hashTree(chunks, node!), signal)));
    },
    hashRange: (hashes) => range!(Buffer.concat(hashes.map(bytesOfXetHash))),
  };
}

function finish<Result>(work: Generator<undefined, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

async function finishInTurns<Result>(work: Generator<undefined, Result>, signal?: AbortSignal): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await setImmediate();
    signal?.throwIfAborted();
  }
}

async function keyedHash(key: string): Promise<(bytes: Uint8Array | string) => XetHash> {
  const blake3 = await createBLAKE3(256, Buffer.from(key, 'hex'));
  return (bytes) => textOfXetHash(blake3.init().update(bytes).digest('binary'));
}

/** Nodes that are hashed without a pause: some 5 ms. */
const nodesPerStep = 1024;

/** Nodes of one level become the children of the next until one is left. A single leaf is its own root. */
function* hashTree(leaves: readonly HashedBytes[], hashNode: (text: string) => XetHash): Generator<undefined, XetHash> {
  if (leaves.length === 0) return emptyXetHash;
  let level = leaves;
  while (level.length > 1) {
    const parents: HashedBytes[] = [];
    for (let start = 0; start < level.length;) {
      const end = endOfSiblings(level, start);
      parents.push(hashParent(level.slice(start, end), hashNode));
      start = end;
      if (parents.length % nodesPerStep === 0) yield;
    }
    level = parents;
  }
  return level[0]!.hash;
}

function hashParent(children: HashedBytes[], hashNode: (text: string) => XetHash): HashedBytes {
  const text = children.map(({ hash, rawBytes }) => `${hash} : ${rawBytes}\n`).join('');
  return { hash: hashNode(text), rawBytes: children.reduce((sum, child) => sum + child.rawBytes, 0) };
}

/** Siblings end after the first hash, from the third on, that is divisible by 4 when read as a number. */
function endOfSiblings(level: readonly HashedBytes[], start: number): number {
  const end = Math.min(start + childrenMax, level.length);
  for (let index = start + childrenMin - 1; index < end; index++)
    if ('048c'.includes(level[index]!.hash[63]!)) return index + 1;
  return end;
}

/**
 * The text form of the 32 bytes at `at`. A shard holds sha256 digests in this order too: their text is the usual hex.
 */
export function textOfXetHash(bytes: Uint8Array, at = 0): XetHash {
  return reverseGroups(bytes, at).toString('hex');
}

/** The 32 bytes of a hash that is known to be one. */
export function bytesOfXetHash(hash: XetHash): Uint8Array {
  return reverseGroups(Buffer.from(hash, 'hex'), 0);
}

/** Checks a hash from outside. @throws FirnError `invalid-request`. */
export function parseXetHash(text: string): XetHash {
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new FirnError('invalid-request', 'A Xet hash is written as 64 lower-case hexadecimal digits.');
  return text;
}

function reverseGroups(bytes: Uint8Array, at: number): Buffer {
  const turned = Buffer.from(bytes.subarray(at, at + 32));
  return turned.swap64();
}
