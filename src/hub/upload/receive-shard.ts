import type { StoredXorb } from '../../catalog/contract/hub/xorb-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { openNamed } from '../../restore/open-named.ts';
import { decodeChunkRange, placeOfChunks } from '../../xet/decode-chunk-range.ts';
import { planFile, type FilePlan } from '../../xet/plan-file.ts';
import { readShard, type ShardFile } from '../../xet/read-shard.ts';
import { hasBytes } from './has-bytes.ts';
import type { HubContext } from '../hub-context.ts';
import { receiveBlob } from './receive-blob.ts';

/** Xorbs looked up in one query. */
const pageXorbs = 200;

export interface ShardOptions {
  readonly signal?: AbortSignal;
  /** Called after each file. */
  readonly onFile?: (done: number, total: number) => void;
}

/**
 * Rebuilds the files that a shard describes from the xorbs of the repository, and keeps each as if it had been uploaded
 * whole: under the sha256 that a commit will name. A file that the repository has already is not rebuilt. Errors: those
 * of `readShard` and `planFile`; `digest-mismatch` when a file has another sha256 than the shard says.
 */
export async function receiveShard(
  ctx: HubContext,
  repositoryId: string,
  bytes: Uint8Array,
  { signal, onFile }: ShardOptions = {},
): Promise<void> {
  const { files } = readShard(bytes);
  const xorbs = await xorbsOf(ctx, repositoryId, files);
  const hasher = await ctx.xetHasher();
  for (const [index, file] of files.entries()) {
    const chunksOf = (hash: string) => xorbs.get(hash)?.chunks;
    const plan = await planFile({ file, chunksOf, hasher, ...(signal && { signal }) });
    if (!(await isStored(ctx, repositoryId, file, plan))) {
      const body = rebuild(ctx, plan, xorbs);
      const announced = { sizeBytes: plan.sizeBytes, ...(file.sha256 !== undefined && { sha256: file.sha256 }) };
      await receiveBlob(ctx, repositoryId, announced, { body, lengthBytes: plan.sizeBytes, ...(signal && { signal }) });
    }
    onFile?.(index + 1, files.length);
  }
}

async function isStored(
  { catalog }: HubContext,
  repositoryId: string,
  { sha256 }: ShardFile,
  { sizeBytes }: FilePlan,
): Promise<boolean> {
  if (sha256 === undefined) return false;
  const [blob] = await catalog.hub.blobs.find(repositoryId, [sha256]);
  if (!hasBytes(blob)) return false;
  if (blob.sizeBytes !== sizeBytes)
    throw new FirnError('digest-mismatch', 'The shard gives a file the digest of another one.');
  await catalog.hub.blobs.touch(repositoryId, [sha256]);
  return true;
}

/** The xorbs that the files name; naming them keeps them a while longer. Missing ones are left to `planFile`. */
async function xorbsOf(
  { catalog }: HubContext,
  repositoryId: string,
  files: readonly ShardFile[],
): Promise<ReadonlyMap<string, StoredXorb>> {
  const hashes = [...new Set(files.flatMap(({ terms }) => terms.map(({ xorb }) => xorb)))];
  const found = new Map<string, StoredXorb>();
  for (let start = 0; start < hashes.length; start += pageXorbs) {
    const page = hashes.slice(start, start + pageXorbs);
    await catalog.hub.xorbs.touch(repositoryId, page);
    for (const xorb of await catalog.hub.xorbs.find(repositoryId, page)) found.set(xorb.hash, xorb);
  }
  return found;
}

/** The bytes of a file, chunk by chunk. Memory is one range of packed chunks: at most one xorb. */
async function* rebuild(
  { store, xetHasher }: HubContext,
  { ranges }: FilePlan,
  xorbs: ReadonlyMap<string, StoredXorb>,
): AsyncGenerator<Uint8Array> {
  const hasher = await xetHasher();
  for (const { xorb: hash, ...range } of ranges) {
    const { key, chunks } = xorbs.get(hash)!;
    const { offset, lengthBytes } = placeOfChunks(chunks, range);
    const reader = await openNamed(store, key);
    try {
      const bytes = await reader.read(offset, lengthBytes);
      yield* decodeChunkRange({ chunks, range, bytes, hasher });
    } finally {
      await reader.close();
    }
  }
}
