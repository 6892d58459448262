import type { Catalog } from '../catalog/contract/catalog.ts';
import type { IngestContext } from '../ingest/ingest-context.ts';

/** Rows deleted in one transaction. */
const pageRows = 500;

/**
 * Deletes files that were uploaded and that no commit named within the life of an upload, and chunks that no file needed
 * for as long. Returns the number of both.
 */
export async function expireHubFiles({
  catalog,
  limits,
}: {
  readonly catalog: Pick<Catalog, 'hub' | 'now'>;
  readonly limits: Pick<IngestContext['limits'], 'uploadTtlMs'>;
}): Promise<number> {
  const before = new Date((await catalog.now()).getTime() - limits.uploadTtlMs);
  let total = 0;
  for (const { expire } of [catalog.hub.blobs, catalog.hub.xorbs])
    for (;;) {
      const count = await expire(before, pageRows);
      total += count;
      if (count < pageRows) break;
    }
  return total;
}
