import type { Catalog, Checkpoint } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { encodeJobKind } from './ingest-context.ts';

/**
 * Stops work on a checkpoint: at once when none has begun, else its worker is told and the checkpoint comes back with `cancelRequested`.
 * Cancelling twice is no error. Uploaded bytes stay until the checkpoint is deleted. `conflict` when it is ready or failed.
 */
export async function cancelCheckpoint({ catalog }: { readonly catalog: Catalog }, { id }: Pick<Checkpoint, 'id'>): Promise<Checkpoint> {
  return catalog.transaction(async (tx) => {
    const current = await tx.checkpoints.get(id);
    if (current === undefined) throw new FirnError('not-found', 'There is no such checkpoint.');
    if (current.state === 'cancelled') return current;
    if (current.state === 'ready' || current.state === 'failed')
      throw new FirnError('conflict', `The checkpoint is ${current.state}; there is nothing to cancel.`);
    const job = await tx.jobs.requestCancel(encodeJobKind, id);
    if (job !== 'running') return tx.checkpoints.transition(id, ['open', 'queued', 'working'], 'cancelled');
    await tx.checkpoints.requestCancel(id);
    return { ...current, cancelRequested: true };
  });
}
