import { and, desc, eq, exists, isNotNull, isNull, ne } from 'drizzle-orm';
import type { Checkpoint } from '../../contract/checkpoint-records.ts';
import type { Run } from '../../contract/run-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { checkpointColumns } from '../../db/record-columns.ts';
import { checkpoints, runs } from '../../db/schema.ts';

/** A checkpoint that another one can build on. */
const isUsable = and(eq(checkpoints.state, 'ready'), isNotNull(checkpoints.packageId), isNull(checkpoints.deletedAt));

/** See `CheckpointRecords.newestElsewhere`. One query for the runs, and one for each of them. */
export async function newestElsewhere(
  { query }: Db,
  { id, repositoryId }: Pick<Run, 'id' | 'repositoryId'>,
  limit: number,
): Promise<Checkpoint[]> {
  const usable = query
    .select({ id: checkpoints.id })
    .from(checkpoints)
    .where(and(eq(checkpoints.runId, runs.id), isUsable));
  const others = await query
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.repositoryId, repositoryId), ne(runs.id, id), isNull(runs.deletedAt), exists(usable)))
    .orderBy(desc(runs.createdAt), desc(runs.id))
    .limit(pageLimit({ limit }));
  const newest: Checkpoint[] = [];
  for (const other of others) {
    const found = await query
      .select(checkpointColumns)
      .from(checkpoints)
      .where(and(eq(checkpoints.runId, other.id), isUsable))
      .orderBy(desc(checkpoints.sequence))
      .limit(1);
    newest.push(...found.map(dropNulls));
  }
  return newest;
}
