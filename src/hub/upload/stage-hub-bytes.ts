import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { CheckedBody } from '../../ingest/stage/checked-body.ts';
import { recordStaged, releaseRoom, stageBody, type StagedBody } from '../../ingest/stage/stage-body.ts';

export interface HubBytes {
  /** `blobPrefix` or `xorbPrefix`; the repository's id follows. */
  readonly prefix: string;
  readonly body: CheckedBody;
  readonly sizeMaxBytes: number;
}

/**
 * Streams bytes that a hub client sends to a new object of the repository, and records them in one transaction that
 * also releases their room. So the object is always known: as arriving, or as recorded. Errors: the body's, the
 * store's, `overloaded`, `quota-exceeded`, and those of `record`.
 */
export async function stageHubBytes<Recorded>(
  ctx: IngestContext,
  repositoryId: string,
  { prefix, body, sizeMaxBytes }: HubBytes,
  record: (tx: Catalog, staged: StagedBody) => Promise<Recorded>,
): Promise<{ readonly staged: StagedBody; readonly recorded: Recorded }> {
  const ticket = await ctx.budget.admitBlob(ctx.catalog, repositoryId, body.lengthBytes);
  try {
    const staged = await stageBody(ctx, body, { prefix: `${prefix}${repositoryId}/`, sizeMaxBytes, ticket });
    const recorded = await recordStaged(ctx, staged, () =>
      ctx.catalog.transaction(async (tx) => {
        const made = await record(tx, staged);
        await releaseRoom(tx, staged);
        return made;
      }),
    );
    return { staged, recorded };
  } finally {
    await ticket.release();
  }
}
