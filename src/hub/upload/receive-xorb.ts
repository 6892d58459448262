import { CheckedBody } from '../../ingest/stage/checked-body.ts';
import { xorbPrefix } from '../../ingest/ingest-context.ts';
import { dropObjects } from '../../ingest/stage/stage-body.ts';
import type { Upload } from '../../ingest/stage/upload.ts';
import { checkXorbHash, XorbReader, type XorbTable } from '../../xet/read-xorb.ts';
import { xorbPackedBytesMax } from '../../xet/xet-limits.ts';
import type { HubContext } from '../hub-context.ts';
import { stageHubBytes } from './stage-hub-bytes.ts';

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
  const bytes = { prefix: xorbPrefix, body: checked, sizeMaxBytes };
  const { staged, recorded: created } = await stageHubBytes(
    ctx,
    repositoryId,
    bytes,
    (tx, { key, storedBytes, sizeBytes }) =>
      tx.hub.xorbs.add({ repositoryId, hash, key, sizeBytes, storedBytes, chunks: table!.chunks }),
  );
  if (!created) await dropObjects(ctx, [staged.key]);
  return created;
}
