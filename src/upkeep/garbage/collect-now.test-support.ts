import { markOrphans, type GarbageContext } from './mark-orphans.ts';
import { deletePending } from './delete-pending.ts';

/** A pass without grace. Returns the number of deleted objects. */
export async function collectNow(ctx: GarbageContext, signal?: AbortSignal): Promise<number> {
  await markOrphans(ctx, { graceMs: 0 }, signal);
  return (await deletePending(ctx, { graceMs: 0 }, signal)).objects;
}
