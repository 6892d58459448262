import { eq } from 'drizzle-orm';
import { FirnError } from '../checkpoint/firn-error.ts';
import { isTerminal } from './checkpoint-moves.ts';
import { buildsOn } from './checkpoint-dependents.ts';
import type { Db } from './database.ts';
import { checkpointFiles, checkpoints, packages } from './schema.ts';

/** See `CheckpointRecords.purge`. A delta being committed against this checkpoint meanwhile meets the foreign key and is refused as `conflict`. */
export async function purgeCheckpoint(db: Db, id: string): Promise<string[]> {
  return db.transaction(async (tx) => {
    const [found] = await tx.query.select({ state: checkpoints.state }).from(checkpoints).where(eq(checkpoints.id, id)).for('update');
    if (found === undefined) throw new FirnError('not-found', 'There is no such checkpoint.');
    if (!isTerminal(found.state)) throw new FirnError('conflict', 'The checkpoint is still being worked on.');
    if (await buildsOn(tx, id)) throw new FirnError('conflict', 'Other checkpoints build on this one.');
    const files = await tx.query.select({ key: checkpointFiles.rawKey }).from(checkpointFiles).where(eq(checkpointFiles.checkpointId, id));
    await tx.query.update(checkpoints).set({ packageId: null }).where(eq(checkpoints.id, id));
    const stored = await tx.query.delete(packages).where(eq(packages.checkpointId, id)).returning({ key: packages.key });
    await tx.query.delete(checkpoints).where(eq(checkpoints.id, id));
    return [...files, ...stored].map(({ key }) => key).filter((key) => key !== null);
  });
}
