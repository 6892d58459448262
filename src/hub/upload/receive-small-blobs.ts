import { CheckedBody } from '../../ingest/stage/checked-body.ts';
import { blobPrefix, type IngestContext } from '../../ingest/ingest-context.ts';
import { dropObjects, recordStaged, releaseRoom, stageBody, type StagedBody } from '../../ingest/stage/stage-body.ts';
import { storedSize } from '../../store/frame/object-frame.ts';
import { blobBytesMax } from './receive-blob.ts';

/** Objects that are put at once. */
const putsAtOnce = 8;

/** The bytes of one file, in memory, and their digest. */
export interface SmallBlob {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/**
 * Like `receiveBlob`, for at most a thousand files that are in memory: one reservation holds room for all of them, and
 * one transaction records them, so that a commit of hundreds of small files does not wait for the catalog hundreds of
 * times. All are durable when this resolves; if it rejects, none is recorded. Errors: as of `receiveBlob`.
 */
export async function receiveSmallBlobs(
  ctx: IngestContext,
  repositoryId: string,
  blobs: readonly SmallBlob[],
): Promise<void> {
  const distinct = [...new Map(blobs.map((blob) => [blob.sha256, blob])).values()];
  if (distinct.length === 0) return;
  const sizeMaxBytes = blobBytesMax(ctx);
  const bodies = distinct.map(({ sha256, bytes }) => {
    const upload = { body: [bytes].values() as unknown as AsyncIterable<Uint8Array>, lengthBytes: bytes.length };
    return new CheckedBody(upload, { announced: { sha256 }, sizeMaxBytes, mayBeEmpty: true });
  });
  const roomBytes = distinct.reduce((sum, { bytes }) => sum + storedSize(bytes.length), 0);
  const ticket = await ctx.budget.admitBlob(ctx.catalog, repositoryId, roomBytes);
  try {
    const staged = await stageAll(ctx, bodies, { prefix: `${blobPrefix}${repositoryId}/`, sizeMaxBytes });
    const taken = await recordStaged(ctx, staged, () =>
      ctx.catalog.transaction(async (tx) => {
        const keys = await tx.hub.blobs.addAll(
          staged.map(({ sha256, sizeBytes, key, storedBytes }) => ({
            repositoryId,
            sha256,
            sizeBytes,
            rawKey: key,
            rawStoredBytes: storedBytes,
          })),
        );
        await releaseRoom(tx, ticket);
        return keys;
      }),
    );
    // The repository had the bytes of these already.
    await dropObjects(
      ctx,
      staged.map(({ key }) => key).filter((key) => !taken.has(key)),
    );
  } finally {
    await ticket.release();
  }
}

/** If one body fails, the objects of the others are removed again. */
async function stageAll(
  ctx: IngestContext,
  bodies: readonly CheckedBody[],
  options: Parameters<typeof stageBody>[2],
): Promise<StagedBody[]> {
  const staged: StagedBody[] = [];
  for (let start = 0; start < bodies.length; start += putsAtOnce) {
    const puts = bodies.slice(start, start + putsAtOnce).map((body) => stageBody(ctx, body, options));
    const outcomes = await Promise.allSettled(puts);
    staged.push(...outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed === undefined) continue;
    await dropObjects(
      ctx,
      staged.map(({ key }) => key),
    );
    throw failed.reason;
  }
  return staged;
}
