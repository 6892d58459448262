import { CheckedBody } from '../../ingest/stage/checked-body.ts';
import { blobPrefix, type IngestContext } from '../../ingest/ingest-context.ts';
import { dropObjects, type StagedBody } from '../../ingest/stage/stage-body.ts';
import type { Upload } from '../../ingest/stage/upload.ts';
import { stageHubBytes } from './stage-hub-bytes.ts';

/** What the client announced; both are compared with the bytes. */
export interface AnnouncedBlob {
  readonly sha256?: string;
  readonly sizeBytes?: number;
}

/**
 * Receives the bytes of a file that a later commit names. They are durable when this resolves, and expire unless a
 * commit names them in time. Bytes that the repository has already are checked and not stored again. Errors: those of
 * `CheckedBody`, of the staging budget (`overloaded`, `quota-exceeded`) and of the store.
 */
export async function receiveBlob(
  ctx: IngestContext,
  repositoryId: string,
  announced: AnnouncedBlob,
  upload: Upload,
): Promise<Pick<StagedBody, 'sha256' | 'sizeBytes'>> {
  const sizeMaxBytes = blobBytesMax(ctx);
  const body = new CheckedBody(upload, { announced, sizeMaxBytes, mayBeEmpty: true });
  const bytes = { prefix: blobPrefix, body, sizeMaxBytes };
  const { staged, recorded } = await stageHubBytes(
    ctx,
    repositoryId,
    bytes,
    (tx, { sha256, sizeBytes, key, storedBytes }) =>
      tx.hub.blobs.add({ repositoryId, sha256, sizeBytes, rawKey: key, rawStoredBytes: storedBytes }),
  );
  if (!recorded.created) await dropObjects(ctx, [staged.key]);
  return staged;
}

/** The largest file of a commit, in bytes. */
export function blobBytesMax({ limits }: Pick<IngestContext, 'limits'>): number {
  return Math.min(limits.fileBytesMax, limits.stagedBytesMax);
}
