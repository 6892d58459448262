import type { IngestContext } from '../ingest-context.ts';

/** Uploads ended in one round. */
const uploadsPerRound = 100;

/**
 * Ends uploads that received nothing for `uploadTtlMs`, and deletes records of uploads completed that long ago. Returns
 * their number. Rejects with the signal's reason between two rounds.
 */
export async function expireUploads(ctx: Pick<IngestContext, 'catalog'>, signal?: AbortSignal): Promise<number> {
  for (let ended = 0; ;) {
    signal?.throwIfAborted();
    const { count } = await ctx.catalog.uploads.endExpired(uploadsPerRound);
    ended += count;
    if (count < uploadsPerRound) return ended;
  }
}
