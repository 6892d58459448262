import type { Catalog, Checkpoint } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { discardReservation } from '../ingest/discard-reservation.ts';
import { dropObjects } from '../ingest/stage-body.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { reclaimHidden } from './reclaim-hidden.ts';

/**
 * Takes a checkpoint out of sight; its step can be uploaded again. A reservation is given up. The uploaded bytes go at once; the package stays, hidden, while other
 * checkpoints or forks build on it, and goes with the last of them (reclaim-hidden.ts). `conflict` while work on the checkpoint is under way, `not-found`.
 */
export async function deleteCheckpoint(ctx: { readonly catalog: Catalog; readonly store: ObjectStore }, { id }: Pick<Checkpoint, 'id'>): Promise<void> {
  if (await discardReservation(ctx, id)) return;
  const keys = await ctx.catalog.transaction(async (tx) => {
    const current = await tx.checkpoints.get(id);
    if (current === undefined || current.deletedAt !== undefined) throw new FirnError('not-found', 'There is no such checkpoint.');
    switch (current.state) {
      case 'open':
      case 'queued':
      case 'working':
        throw new FirnError('conflict', 'The checkpoint is being compressed; cancel it first.');
      case 'ready':
      case 'failed':
      case 'cancelled':
        return tx.checkpoints.hide(id);
    }
  });
  await dropObjects(ctx, keys);
  // It is deleted; what is still there is reclaimed in time by the periodic upkeep.
  await reclaimHidden(ctx).catch(() => undefined);
}
