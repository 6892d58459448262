import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { discardReservation } from '../ingest/checkpoint/discard-reservation.ts';
import { reclaimHidden } from './reclaim-hidden.ts';

/**
 * Takes a checkpoint out of sight; its step can be uploaded again. A reservation is given up. The package stays,
 * hidden, while other checkpoints or forks build on it, and goes with the last of them (reclaim-hidden.ts); objects go
 * after the grace. `conflict` while work on the checkpoint is under way, `not-found`.
 */
export async function deleteCheckpoint(
  ctx: { readonly catalog: Catalog },
  { id }: Pick<Checkpoint, 'id'>,
): Promise<void> {
  if (await discardReservation(ctx, id)) return;
  await ctx.catalog.transaction(async (tx) => {
    const found = await tx.checkpoints.get(id);
    if (found === undefined || found.deletedAt !== undefined)
      throw new FirnError('not-found', 'There is no such checkpoint.');
    // A failed one may be put back into the queue meanwhile, by whoever has this lock.
    await tx.runs.lock(found.runId);
    const current = await tx.checkpoints.get(id);
    if (current === undefined || current.deletedAt !== undefined)
      throw new FirnError('not-found', 'There is no such checkpoint.');
    switch (current.state) {
      case 'open':
      case 'queued':
      case 'working':
        throw new FirnError('conflict', 'The checkpoint is being compressed; cancel it first.');
      case 'ready':
      case 'failed':
      case 'cancelled':
        await tx.checkpoints.hide(id);
    }
  });
  // It is deleted; what is still there is reclaimed in time by the periodic upkeep.
  await reclaimHidden(ctx).catch(() => undefined);
}
