import type { UploadRecord } from '../../catalog/contract/uploads/upload-records.ts';
import { SafetensorsHeaderReader } from '../../checkpoint/safetensors/safetensors-header-reader.ts';
import type { BodyRules } from '../stage/checked-body.ts';
import type { IngestContext } from '../ingest-context.ts';
import { partRules } from '../eval-set/receive-eval-set-part.ts';
import { placeFile } from '../checkpoint/receive-file.ts';
import { fileRules } from '../stage/stage-file.ts';

/**
 * Passes on the first bytes of an upload. If it must be safetensors and the header is invalid, the upload ends at once,
 * so that the client does not send the rest in vain. A header that is not complete in these bytes is checked at the
 * end. Errors: those of the header, and of `placeFile`.
 */
export async function* checkHeader(
  ctx: IngestContext,
  upload: UploadRecord,
  { writer, bytes }: { readonly writer: string; readonly bytes: AsyncIterable<Uint8Array> },
): AsyncGenerator<Uint8Array> {
  const { headerLimits } = await rulesOf(ctx, upload);
  const header = headerLimits && new SafetensorsHeaderReader(upload.sizeBytes, headerLimits);
  for await (const some of bytes) {
    try {
      header?.push(some);
    } catch (err) {
      await ctx.catalog.uploads.end(upload.id, writer);
      throw err;
    }
    yield some;
  }
}

async function rulesOf(ctx: IngestContext, { checkpointId, path, role, part }: UploadRecord): Promise<BodyRules> {
  if (checkpointId === undefined) return partRules(ctx, part!);
  return fileRules(ctx, await placeFile(ctx, checkpointId, { path: path!, ...(role !== undefined && { role }) }));
}
