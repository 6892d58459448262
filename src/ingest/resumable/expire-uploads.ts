import type { IngestContext } from '../ingest-context.ts';

/** Uploads given up at once. */
const uploadsPerRound = 100;

/**
 * Gives up uploads to which nothing has come for `uploadTtlMs`, and forgets those that were completed so long ago.
 * Returns how many. Rejects with the signal's reason between two rounds.
 */
export async function expireUploads(ctx: Pick<IngestContext, 'catalog'>, signal?: AbortSignal): Promise<number> {
  for (let ended = 0; ;) {
    signal?.throwIfAborted();
    const { count } = await ctx.catalog.uploads.endExpired(uploadsPerRound);
    ended += count;
    if (count < uploadsPerRound) return ended;
  }
}
