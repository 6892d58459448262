import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';

/** How long clients upload chunks to one address, in ms. */
export const xetAddressMs = 24 * 3600_000;
/**
 * How long chunks are kept after they were named last, in ms: while a client of their address, in a session that began
 * there, may still name them.
 */
export const xorbTtlMs = 3 * xetAddressMs;

/** Rows deleted in one transaction. */
const pageRows = 500;

/**
 * Deletes files that were uploaded and that no commit named within the life of an upload, and chunks that no client can
 * name any more. Returns the number of both.
 */
export async function expireHubFiles({
  catalog,
  limits,
}: {
  readonly catalog: Pick<Catalog, 'hub' | 'now'>;
  readonly limits: Pick<IngestContext['limits'], 'uploadTtlMs'>;
}): Promise<number> {
  const nowMs = (await catalog.now()).getTime();
  const { blobs, parts, xorbs } = catalog.hub;
  const uploadedBefore = new Date(nowMs - limits.uploadTtlMs);
  const files =
    (await repeat((limit) => blobs.expire(uploadedBefore, limit))) +
    (await repeat((limit) => parts.expire(uploadedBefore, limit)));
  return files + (await repeat((limit) => xorbs.expire(new Date(nowMs - xorbTtlMs), limit)));
}

async function repeat(expire: (limit: number) => Promise<number>): Promise<number> {
  for (let total = 0; ;) {
    const count = await expire(pageRows);
    total += count;
    if (count < pageRows) return total;
  }
}
