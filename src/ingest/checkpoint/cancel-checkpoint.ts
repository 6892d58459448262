import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Precondition } from '../../catalog/contract/precondition.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { encodeJobKind, type IngestContext } from '../ingest-context.ts';

/**
 * Stops work on a checkpoint: at once if none has begun, else its worker is notified and the checkpoint is returned
 * with `cancelRequested`. Cancelling twice is no error. Received files stay until the checkpoint is deleted; unfinished
 * uploads end. `conflict` when it is ready or failed; `not-found`; what the precondition throws.
 */
export async function cancelCheckpoint(
  ctx: Pick<IngestContext, 'catalog'>,
  { id, runId }: Pick<Checkpoint, 'id' | 'runId'>,
  precondition?: Precondition,
): Promise<Checkpoint> {
  return ctx.catalog.transaction(async (tx) => {
    if (precondition !== undefined) {
      // Of several that cancel, retry or commit what they read, one comes first, and the others see what it did.
      await tx.runs.lock(runId);
      await precondition(tx);
    }
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
