import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Precondition } from '../catalog/contract/precondition.ts';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { discardReservation } from '../ingest/checkpoint/reservation/discard-reservation.ts';
import { reclaimHidden } from './reclaim-hidden.ts';

/**
 * Hides a checkpoint; its step can be uploaded again. A reservation is discarded. The package stays while other
 * checkpoints or forks build on it, and is removed with the last of them (reclaim-hidden.ts); objects are deleted after
 * the grace. `conflict` while a job works on the checkpoint, `not-found`, and what the precondition throws.
 */
export async function deleteCheckpoint(
  ctx: { readonly catalog: Catalog },
  { id }: Pick<Checkpoint, 'id'>,
  precondition?: Precondition,
): Promise<void> {
  if (await discardReservation(ctx, id, { precondition })) return;
  await ctx.catalog.transaction(async (tx) => {
    const found = await tx.checkpoints.get(id);
    if (found === undefined || found.deletedAt !== undefined)
      throw new FirnError('not-found', 'There is no such checkpoint.');
    // Under this lock nobody can put a failed checkpoint back into the queue.
    await tx.runs.lock(found.runId);
    const current = await tx.checkpoints.get(id);
    if (current === undefined || current.deletedAt !== undefined)
      throw new FirnError('not-found', 'There is no such checkpoint.');
    switch (current.state) {
      case 'open':
      case 'queued':
      case 'working':
        throw new FirnError('conflict', 'The checkpoint is queued or being compressed; cancel it first.');
      case 'ready':
      case 'failed':
      case 'cancelled':
        await precondition?.(tx);
        await tx.checkpoints.hide(id);
    }
  });
  // The checkpoint is deleted already. If reclaiming fails now, the periodic upkeep repeats it.
  await reclaimHidden(ctx).catch(() => undefined);
}
