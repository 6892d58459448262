import type { HubBlob } from '../../catalog/contract/hub/blob-records.ts';
import type { StoredXorb } from '../../catalog/contract/hub/xorb-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { openNamed } from '../../restore/open-named.ts';
import { decodeChunkRange, placeOfChunks } from '../../xet/decode-chunk-range.ts';
import { planFile, type FilePlan } from '../../xet/plan-file.ts';
import { readShard, type ShardFile } from '../../xet/read-shard.ts';
import { CheckedBody } from '../../ingest/stage/checked-body.ts';
import type { Upload } from '../../ingest/stage/upload.ts';
import { BlobBatch } from './blob-batch.ts';
import { hasBytes } from './has-bytes.ts';
import type { HubContext } from '../hub-context.ts';
import { receiveBlob, type AnnouncedBlob } from './receive-blob.ts';

/** Xorbs looked up in one query. */
const pageXorbs = 200;
/** Files looked up in one query. */
const pageFiles = 500;
/** Largest file that is gathered in memory and stored together with others, in bytes. */
const batchedBytesMax = 1024 * 1024;

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
  const batch = new BlobBatch(ctx, repositoryId);
  for (let start = 0; start < files.length; start += pageFiles) {
    const page = files.slice(start, start + pageFiles);
    const stored = await storedOnes(ctx, repositoryId, page);
    for (const [index, file] of page.entries()) {
      const chunksOf = (hash: string) => xorbs.get(hash)?.chunks;
      const plan = await planFile({ file, chunksOf, hasher, ...(signal && { signal }) });
      if (!isStored(stored, file, plan)) {
        const upload = { body: rebuild(ctx, plan, xorbs), lengthBytes: plan.sizeBytes, ...(signal && { signal }) };
        const announced = { sizeBytes: plan.sizeBytes, ...(file.sha256 !== undefined && { sha256: file.sha256 }) };
        if (plan.sizeBytes <= batchedBytesMax) await batch.add(await gather(upload, announced));
        else await receiveBlob(ctx, repositoryId, announced, upload);
      }
      onFile?.(start + index + 1, files.length);
    }
  }
  await batch.flush();
}

/** The blobs with bytes that the repository has of these files, by digest. Finding them starts their expiry anew. */
async function storedOnes(
  { catalog }: HubContext,
  repositoryId: string,
  files: readonly ShardFile[],
): Promise<ReadonlyMap<string, HubBlob>> {
  const digests = files.flatMap(({ sha256 }) => sha256 ?? []);
  const found = (await catalog.hub.blobs.find(repositoryId, digests)).filter(hasBytes);
  await catalog.hub.blobs.touch(
    repositoryId,
    found.map(({ sha256 }) => sha256),
  );
  return new Map(found.map((blob) => [blob.sha256, blob]));
}

function isStored(stored: ReadonlyMap<string, HubBlob>, { sha256 }: ShardFile, { sizeBytes }: FilePlan): boolean {
  const blob = sha256 === undefined ? undefined : stored.get(sha256);
  if (blob !== undefined && blob.sizeBytes !== sizeBytes)
    throw new FirnError('digest-mismatch', 'The shard gives a file the digest of another one.');
  return blob !== undefined;
}

/** All bytes of a small file, compared with what was announced. */
async function gather(upload: Upload, announced: AnnouncedBlob): Promise<Uint8Array> {
  const body = new CheckedBody(upload, { announced, sizeMaxBytes: batchedBytesMax, mayBeEmpty: true });
  const pieces: Uint8Array[] = [];
  for await (const piece of body.pieces()) pieces.push(piece);
  return Buffer.concat(pieces);
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
