import { pageLimitMax } from '../../catalog/db/page-limit.ts';
import { examineObject, type ScrubContext } from './examine-object.ts';

/**
 * Reads what is in quarantine again, in case that it was repaired, and forgets what nothing names any more: of very
 * many the first thousand. Returns how many are damaged still. Rejects as `examineObject`.
 */
export async function recheckDamaged(ctx: ScrubContext, signal?: AbortSignal): Promise<number> {
  let damaged = 0;
  for (const { key } of await ctx.catalog.damage.list({ limit: pageLimitMax })) {
    signal?.throwIfAborted();
    if ((await examineObject(ctx, key, signal)).damaged) damaged += 1;
  }
  return damaged;
}
