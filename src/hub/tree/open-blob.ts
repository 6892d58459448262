import type { HubBlob } from '../../catalog/contract/hub/blob-records.ts';
import type { FileEntry } from '../../catalog/contract/hub/revision-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { OpenedFile } from '../../restore/downloads.ts';
import type { HubContext } from '../hub-context.ts';
import { hasBytes } from '../upload/has-bytes.ts';
import type { Snapshot } from './snapshot.ts';

type OpenContext = Pick<HubContext, 'catalog' | 'downloads'>;

/**
 * Opens the bytes of a file of a snapshot: exactly those that its digest names. They come from the uploaded object, or
 * are rebuilt from the package of a checkpoint. What a lossy checkpoint gave up is read until it is deleted.
 * `not-found` after that, and when the bytes went with a deleted checkpoint; the errors of restore and store.
 */
export async function openEntry(
  ctx: OpenContext,
  repositoryId: string,
  { snapshot, path, entry }: { readonly snapshot: Snapshot; readonly path: string; readonly entry: FileEntry },
): Promise<OpenedFile> {
  const { checkpoint } = snapshot;
  if (checkpoint === undefined) return openBlob(ctx, repositoryId, entry.sha256);
  const file = await ctx.catalog.files.find(checkpoint.id, path);
  if (file === undefined) throw gone();
  return file.storage === 'raw' && file.rawKey !== undefined
    ? ctx.downloads.openObject(checkpoint, file.rawKey)
    : ctx.downloads.openFile(checkpoint, file);
}

/**
 * Checks that the bytes of a file of a snapshot could be opened, as far as the catalog knows: a HEAD must not promise
 * what a GET refuses. `not-found`, as `openEntry`.
 */
export async function checkEntry(
  { catalog }: Pick<OpenContext, 'catalog'>,
  repositoryId: string,
  { snapshot, entry }: { readonly snapshot: Snapshot; readonly entry: FileEntry },
): Promise<void> {
  // A snapshot of a checkpoint is only there while the checkpoint is.
  if (snapshot.checkpoint !== undefined) return;
  const [blob] = await catalog.hub.blobs.find(repositoryId, [entry.sha256]);
  if (blob?.readableKey === undefined && !hasBytes(blob)) throw whyAbsent(blob);
}

/** Opens the bytes with this digest. Errors: as `openEntry`. */
export async function openBlob(ctx: OpenContext, repositoryId: string, sha256: string): Promise<OpenedFile> {
  const [blob] = await ctx.catalog.hub.blobs.find(repositoryId, [sha256]);
  try {
    return await open(ctx, blob);
  } catch (error) {
    // A commit may have given the object to a checkpoint, or a checkpoint given it up, between the two queries.
    const [now] = await ctx.catalog.hub.blobs.find(repositoryId, [sha256]);
    if (now?.fileId === blob?.fileId && now?.readableKey === blob?.readableKey) throw error;
    return open(ctx, now);
  }
}

async function open(ctx: OpenContext, blob: HubBlob | undefined): Promise<OpenedFile> {
  if (blob?.fileId !== undefined) return openFile(ctx, blob, blob.fileId);
  if (blob?.rawKey !== undefined) return ctx.downloads.openRaw(blob.rawKey);
  if (blob?.readableKey !== undefined) return openReleased(ctx, blob.readableKey);
  throw whyAbsent(blob);
}

async function openFile({ catalog, downloads }: OpenContext, blob: HubBlob, fileId: string): Promise<OpenedFile> {
  const file = await catalog.files.get(fileId);
  const checkpoint = file && (await catalog.checkpoints.get(file.checkpointId));
  if (file === undefined || checkpoint === undefined || checkpoint.deletedAt !== undefined) throw gone();
  const isRebuilt = checkpoint.state === 'ready' && file.resultSha256 === blob.sha256;
  if (isRebuilt && file.storage !== 'raw') return downloads.openFile(checkpoint, file);
  if (file.rawKey === undefined) throw notKept();
  return downloads.openObject(checkpoint, file.rawKey);
}

/** Opens an object that waits to be deleted. */
async function openReleased({ downloads }: OpenContext, key: string): Promise<OpenedFile> {
  try {
    return await downloads.openRaw(key);
  } catch (error) {
    if (error instanceof FirnError && error.code === 'corrupt-object') throw notKept(error);
    throw error;
  }
}

function whyAbsent(blob: HubBlob | undefined): FirnError {
  return blob?.releasedKey === undefined ? gone() : notKept();
}

function notKept(cause?: FirnError): FirnError {
  return new FirnError(
    'not-found',
    'The uploaded bytes are no longer kept: the checkpoint was stored lossy. Its compressed form has ' +
      'a revision of its own.',
    { cause },
  );
}

function gone(): FirnError {
  return new FirnError('not-found', 'The bytes of this file were deleted with their checkpoint.');
}
