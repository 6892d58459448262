import { condemnOrphans, type GarbageContext } from './condemn-orphans.ts';
import { deleteCondemned } from './delete-condemned.ts';

/** A pass without grace. Returns how many objects were deleted. */
export async function collectNow(ctx: GarbageContext, signal?: AbortSignal): Promise<number> {
  await condemnOrphans(ctx, { graceMs: 0 }, signal);
  return (await deleteCondemned(ctx, { graceMs: 0 }, signal)).objects;
}
