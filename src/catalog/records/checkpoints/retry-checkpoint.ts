import { and, eq, isNull } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { Checkpoint, CheckpointRecords } from '../../contract/checkpoint-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { checkpointColumns } from '../../db/record-columns.ts';
import { checkpoints, trials } from '../../db/schema.ts';

/** See `CheckpointRecords.retry`. No other verb leaves a terminal state. */
export async function retryCheckpoint(
  db: Db,
  id: string,
  { evalSetId, thresholds }: Parameters<CheckpointRecords['retry']>[1],
): Promise<Checkpoint> {
  return db.transaction(async (tx) => {
    const [queued] = await tx.query
      .update(checkpoints)
      .set({
        state: 'queued',
        errorCode: null,
        errorMessage: null,
        finishedAt: null,
        cancelRequested: false,
        evalSetId: evalSetId ?? null,
        thresholds,
      })
      .where(and(eq(checkpoints.id, id), eq(checkpoints.state, 'failed'), isNull(checkpoints.deletedAt)))
      .returning(checkpointColumns);
    if (queued === undefined) throw await refusal(tx, id);
    await tx.query.delete(trials).where(eq(trials.checkpointId, id));
    return dropNulls(queued);
  });
}

async function refusal({ query }: Db, id: string): Promise<FirnError> {
  const [found] = await query
    .select({ state: checkpoints.state, deletedAt: checkpoints.deletedAt })
    .from(checkpoints)
    .where(eq(checkpoints.id, id));
  if (found === undefined || found.deletedAt !== null)
    return new FirnError('not-found', 'There is no such checkpoint.');
  return new FirnError('conflict', `The checkpoint is ${found.state}; only a failed one can be tried again.`);
}
