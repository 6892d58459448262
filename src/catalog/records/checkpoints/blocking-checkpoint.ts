import { and, asc, eq, inArray, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { BlockingCheckpoint, CheckpointRecords } from '../../contract/checkpoint-records.ts';
import type { Db } from '../../db/database.ts';
import { checkpoints } from '../../db/schema.ts';

/** See `CheckpointRecords.blocking`. */
export async function blockingCheckpoint(
  { query }: Db,
  { id, runId, sequence }: Parameters<CheckpointRecords['blocking']>[0],
): Promise<BlockingCheckpoint | undefined> {
  const { step, state, createdAt, touchedAt } = checkpoints;
  const isWorking = eq(checkpoints.state, 'working');
  const isEarlier = and(inArray(checkpoints.state, ['open', 'queued']), lt(checkpoints.sequence, sequence));
  const [found] = await query
    .select({ step, state, createdAt, touchedAt })
    .from(checkpoints)
    .where(
      and(
        eq(checkpoints.runId, runId),
        ne(checkpoints.id, id),
        isNull(checkpoints.deletedAt),
        or(isWorking, isEarlier),
      ),
    )
    .orderBy(sql`${checkpoints.state} <> 'working'`, asc(checkpoints.sequence))
    .limit(1);
  return found as BlockingCheckpoint | undefined;
}
