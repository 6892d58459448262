import type { Catalog, Checkpoint } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { discardReservation } from '../ingest/discard-reservation.ts';
import type { ObjectStore } from '../store/object-store.ts';

/**
 * Takes a checkpoint out of sight; its step can be uploaded again. A reservation is given up. One that others build on keeps its bytes, hidden; else its rows and objects
 * go, and with them hidden ancestors that nothing builds on any more. An object whose deletion fails is left to the sweep.
 * `conflict` while work on the checkpoint is under way.
 */
export async function deleteCheckpoint(
  { catalog, store }: { readonly catalog: Catalog; readonly store: ObjectStore },
  { id }: Pick<Checkpoint, 'id'>,
): Promise<void> {
  if (await discardReservation({ catalog, store }, id)) return;
  const keys = await catalog.transaction(async (tx) => {
    const current = await tx.checkpoints.get(id);
    if (current === undefined) throw new FirnError('not-found', 'There is no such checkpoint.');
    switch (current.state) {
      case 'open':
      case 'queued':
      case 'working':
        throw new FirnError('conflict', 'The checkpoint is being compressed; cancel it first.');
      case 'ready':
      case 'failed':
      case 'cancelled':
        return hideOrPurge(tx, current);
    }
  });
  await Promise.allSettled(keys.map((key) => store.delete(key)));
}

async function hideOrPurge(tx: Catalog, checkpoint: Checkpoint): Promise<string[]> {
  if (await tx.checkpoints.hasDependents(checkpoint.id)) {
    await tx.checkpoints.hide(checkpoint.id);
    return [];
  }
  const ancestors = checkpoint.packageId === undefined ? [] : (await tx.packages.chain(checkpoint.packageId)).slice(1);
  const keys = await tx.checkpoints.purge(checkpoint.id);
  // Newest first: each was kept for the one before it, and chains are bounded.
  for (const { checkpointId } of ancestors) {
    const ancestor = await tx.checkpoints.get(checkpointId);
    if (ancestor?.deletedAt === undefined || (await tx.checkpoints.hasDependents(checkpointId))) break;
    keys.push(...(await tx.checkpoints.purge(checkpointId)));
  }
  return keys;
}
