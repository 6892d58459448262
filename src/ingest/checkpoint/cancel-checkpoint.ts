import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { encodeJobKind, type IngestContext } from '../ingest-context.ts';

/**
 * Stops work on a checkpoint: at once if none has begun, else its worker is notified and the checkpoint is returned
 * with `cancelRequested`. Cancelling twice is no error. Received files stay until the checkpoint is deleted; unfinished
 * uploads end. `conflict` when it is ready or failed.
 */
export async function cancelCheckpoint(
  ctx: Pick<IngestContext, 'catalog'>,
  { id }: Pick<Checkpoint, 'id'>,
): Promise<Checkpoint> {
  return ctx.catalog.transaction(async (tx) => {
    const checkpoint = await cancel(tx, id);
    await tx.uploads.endOf(id);
    return checkpoint;
  });
}

async function cancel(tx: Catalog, id: string): Promise<Checkpoint> {
  const current = await tx.checkpoints.get(id);
  if (current === undefined) throw new FirnError('not-found', 'There is no such checkpoint.');
  if (current.state === 'cancelled') return current;
  if (current.state === 'ready' || current.state === 'failed')
    throw new FirnError('conflict', `The checkpoint is ${current.state}; there is nothing to cancel.`);
  const job = await tx.jobs.requestCancel(encodeJobKind, id);
  if (job !== 'running') return tx.checkpoints.transition(id, ['open', 'queued', 'working'], 'cancelled');
  await tx.checkpoints.requestCancel(id);
  return { ...current, cancelRequested: true };
}
