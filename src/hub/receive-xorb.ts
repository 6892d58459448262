import { CheckedBody } from '../ingest/stage/checked-body.ts';
import { xorbPrefix } from '../ingest/ingest-context.ts';
import { dropObjects, recordStaged, releaseRoom, stageBody } from '../ingest/stage/stage-body.ts';
import type { Upload } from '../ingest/stage/upload.ts';
import { checkXorbHash, XorbReader, type XorbTable } from '../xet/read-xorb.ts';
import { xorbPackedBytesMax } from '../xet/xet-limits.ts';
import type { HubContext } from './hub-context.ts';

/** A footer, which older clients send, takes 40 bytes a chunk. */
const footerBytesMax = 512 * 1024;

/**
 * Receives a xorb: chunks of files, packed. Its bytes are checked as they pass and kept until files were rebuilt from
 * them. Returns false if the repository has it already. Errors: those of `XorbReader`, `digest-mismatch` for another
 * hash than announced, those of the staging budget and the store.
 */
export async function receiveXorb(
  ctx: HubContext,
  repositoryId: string,
  hash: string,
  upload: Upload,
): Promise<boolean> {
  const hasher = await ctx.xetHasher();
  const reader = new XorbReader(hasher);
  let table: XorbTable | undefined;
  const body = (async function* () {
    for await (const piece of upload.body) {
      reader.push(piece);
      yield piece;
    }
    table = reader.finish();
    checkXorbHash(table.chunks, hash, hasher);
  })();
  const sizeMaxBytes = xorbPackedBytesMax + footerBytesMax;
  const checked = new CheckedBody({ ...upload, body }, { sizeMaxBytes });
  const ticket = await ctx.budget.admitBlob(ctx.catalog, repositoryId, checked.lengthBytes);
  try {
    const staged = await stageBody(ctx, checked, { prefix: `${xorbPrefix}${repositoryId}/`, sizeMaxBytes, ticket });
    const { key, storedBytes, sizeBytes } = staged;
    const { chunks } = table!;
    const created = await recordStaged(ctx, staged, () =>
      ctx.catalog.transaction(async (tx) => {
        const added = await tx.hub.xorbs.add({ repositoryId, hash, key, sizeBytes, storedBytes, chunks });
        await releaseRoom(tx, staged);
        return added;
      }),
    );
    if (!created) await dropObjects(ctx, [key]);
    return created;
  } finally {
    await ticket.release();
  }
}
