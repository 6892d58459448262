import { pageLimitMax } from '../../catalog/db/page-limit.ts';
import { examineObject, type ScrubContext } from './examine-object.ts';

/**
 * Reads objects in quarantine again, because they may have been repaired, and removes entries that nothing names any
 * more; at most the first thousand. Returns the number still damaged. Rejects as `examineObject`.
 */
export async function recheckDamaged(ctx: ScrubContext, signal?: AbortSignal): Promise<number> {
  let damaged = 0;
  for (const { key } of await ctx.catalog.damage.list({ limit: pageLimitMax })) {
    signal?.throwIfAborted();
    if ((await examineObject(ctx, key, signal)).damaged) damaged += 1;
  }
  return damaged;
}
