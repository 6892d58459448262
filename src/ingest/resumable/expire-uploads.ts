import type { IngestContext } from '../ingest-context.ts';
import { dropObjects } from '../stage-body.ts';

/** Uploads given up at once. */
const uploadsPerRound = 100;

/** Gives up uploads to which nothing has come for `uploadTtlMs`, and forgets those that were completed so long ago. Returns how many. Rejects with the signal's reason between two rounds. */
export async function expireUploads(ctx: Pick<IngestContext, 'catalog' | 'store'>, signal?: AbortSignal): Promise<number> {
  for (let ended = 0; ;) {
    signal?.throwIfAborted();
    const { count, keys } = await ctx.catalog.uploads.endExpired(uploadsPerRound);
    await dropObjects(ctx, keys);
    ended += count;
    if (count < uploadsPerRound) return ended;
  }
}
