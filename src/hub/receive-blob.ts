import { CheckedBody } from '../ingest/stage/checked-body.ts';
import { blobPrefix, type IngestContext } from '../ingest/ingest-context.ts';
import { dropObjects, recordStaged, releaseRoom, stageBody, type StagedBody } from '../ingest/stage/stage-body.ts';
import type { Upload } from '../ingest/stage/upload.ts';

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
  const sizeMaxBytes = Math.min(ctx.limits.fileBytesMax, ctx.limits.stagedBytesMax);
  const body = new CheckedBody(upload, { announced, sizeMaxBytes, mayBeEmpty: true });
  const ticket = await ctx.budget.admitBlob(ctx.catalog, repositoryId, body.lengthBytes);
  try {
    const staged = await stageBody(ctx, body, { prefix: `${blobPrefix}${repositoryId}/`, sizeMaxBytes, ticket });
    const { sha256, sizeBytes, key: rawKey, storedBytes: rawStoredBytes } = staged;
    const { created } = await recordStaged(ctx, staged, () =>
      ctx.catalog.transaction(async (tx) => {
        const added = await tx.hub.blobs.add({ repositoryId, sha256, sizeBytes, rawKey, rawStoredBytes });
        await releaseRoom(tx, staged);
        return added;
      }),
    );
    if (!created) await dropObjects(ctx, [staged.key]);
    return { sha256, sizeBytes };
  } finally {
    await ticket.release();
  }
}
