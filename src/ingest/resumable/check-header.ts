import type { UploadRecord } from '../../catalog/contract/upload-records.ts';
import { SafetensorsHeaderReader } from '../../checkpoint/safetensors/safetensors-header-reader.ts';
import type { BodyRules } from '../stage/checked-body.ts';
import type { IngestContext } from '../ingest-context.ts';
import { partRules } from '../eval-set/receive-eval-set-part.ts';
import { placeFile } from '../checkpoint/receive-file.ts';
import { fileRules } from '../stage/stage-file.ts';

/**
 * Passes on the first bytes of an upload. Where it has to be safetensors and they begin with another header, it ends,
 * so that nobody sends the rest for nothing; a header of which these bytes are only a part is judged when all have
 * come. Errors: those of the header, and of `placeFile`.
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
