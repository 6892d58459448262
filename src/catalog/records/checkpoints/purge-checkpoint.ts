import { desc, eq } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { isTerminal } from './checkpoint-moves.ts';
import { buildsOn } from './checkpoint-dependents.ts';
import { markPendingDeletion, markRawPendingDeletion } from '../mark-pending-deletion.ts';
import type { Db } from '../../db/database.ts';
import { addStoredBytes } from '../packages/package-merging.ts';
import { checkpointFiles, checkpoints, packages, runs } from '../../db/schema.ts';

/**
 * See `CheckpointRecords.purge`. A delta that is committed against this checkpoint at the same time violates the
 * foreign key and is refused as `conflict`.
 */
export async function purgeCheckpoint(db: Db, id: string): Promise<string[]> {
  return db.transaction(async (tx) => {
    const [found] = await tx.query
      .select({ state: checkpoints.state, runId: checkpoints.runId })
      .from(checkpoints)
      .where(eq(checkpoints.id, id))
      .for('update');
    if (found === undefined) throw new FirnError('not-found', 'There is no such checkpoint.');
    if (!isTerminal(found.state)) throw new FirnError('conflict', 'The checkpoint is still being worked on.');
    if (await buildsOn(tx, id)) throw new FirnError('conflict', 'Other checkpoints build on this one.');
    const rawKeys = await markRawPendingDeletion(tx, eq(checkpointFiles.checkpointId, id), 'deleted');
    await tx.query.update(checkpoints).set({ packageId: null }).where(eq(checkpoints.id, id));
    const stored = await tx.query.delete(packages).where(eq(packages.checkpointId, id)).returning();
    await tx.query.delete(checkpoints).where(eq(checkpoints.id, id));
    const freed: typeof stored = [];
    for (const each of stored) if (!(await handOver(tx, each))) freed.push(each);
    const [run] = await tx.query.select({ repositoryId: runs.repositoryId }).from(runs).where(eq(runs.id, found.runId));
    const packageKeys = await markPendingDeletion(
      tx,
      freed.map(({ key, storedBytes }) => ({ key, storedBytes, repositoryId: run!.repositoryId })),
      'deleted',
    );
    return [...rawKeys, ...packageKeys];
  });
}

/**
 * Adds a removed package's bytes to the share of the checkpoint before it in the same object. False if there is none;
 * the object is then free.
 */
async function handOver({ query }: Db, removed: typeof packages.$inferSelect): Promise<boolean> {
  const [heir] = await query
    .select()
    .from(packages)
    .where(eq(packages.key, removed.key))
    .orderBy(desc(packages.position))
    .limit(1)
    .for('update');
  if (heir === undefined) return false;
  await query
    .update(packages)
    .set({ storedBytes: heir.storedBytes + removed.storedBytes })
    .where(eq(packages.id, heir.id));
  await addStoredBytes({ query }, heir.id, removed.storedBytes);
  return true;
}
