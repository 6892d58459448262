import type { HubBlob } from '../../catalog/contract/hub/blob-records.ts';
import type { FileEntry } from '../../catalog/contract/hub/revision-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { OpenedFile } from '../../restore/downloads.ts';
import type { HubContext } from '../hub-context.ts';
import type { Snapshot } from './snapshot.ts';

type OpenContext = Pick<HubContext, 'catalog' | 'downloads'>;

/**
 * Opens the bytes of a file of a snapshot: exactly those that its digest names. They come from the uploaded object, or
 * are rebuilt from the package of a checkpoint. `not-found` when they went with a deleted checkpoint, or when a lossy
 * run no longer keeps what was uploaded; the errors of restore and store.
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

/** Opens the bytes with this digest. Errors: as `openEntry`. */
export async function openBlob(ctx: OpenContext, repositoryId: string, sha256: string): Promise<OpenedFile> {
  const [blob] = await ctx.catalog.hub.blobs.find(repositoryId, [sha256]);
  if (blob === undefined) throw gone();
  const { rawKey, fileId } = blob;
  if (fileId !== undefined) return openFile(ctx, blob, fileId);
  if (rawKey === undefined) throw gone();
  try {
    return await ctx.downloads.openRaw(rawKey);
  } catch (error) {
    // A commit may have given the object to a checkpoint between the two queries.
    const [now] = await ctx.catalog.hub.blobs.find(repositoryId, [sha256]);
    if (now?.fileId === undefined) throw error;
    return openFile(ctx, now, now.fileId);
  }
}

async function openFile({ catalog, downloads }: OpenContext, blob: HubBlob, fileId: string): Promise<OpenedFile> {
  const file = await catalog.files.get(fileId);
  const checkpoint = file && (await catalog.checkpoints.get(file.checkpointId));
  if (file === undefined || checkpoint === undefined || checkpoint.deletedAt !== undefined) throw gone();
  const isRebuilt = checkpoint.state === 'ready' && file.resultSha256 === blob.sha256;
  if (isRebuilt && file.storage !== 'raw') return downloads.openFile(checkpoint, file);
  if (file.rawKey === undefined)
    throw new FirnError(
      'not-found',
      'The uploaded bytes are no longer kept: the checkpoint was stored lossy. Its compressed form has ' +
        'a revision of its own.',
    );
  return downloads.openObject(checkpoint, file.rawKey);
}

function gone(): FirnError {
  return new FirnError('not-found', 'The bytes of this file were deleted with their checkpoint.');
}
