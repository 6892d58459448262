import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import { checkpointFiles as files, checkpoints } from './schema.ts';

/** See `FileRecords.stagedBytes`. */
export async function stagedBytes({ query }: Pick<Db, 'query'>, runId?: string): Promise<number> {
  const [sum] = await query
    .select({ bytes: sql<string>`coalesce(sum(${files.rawStoredBytes}), 0)::text` })
    .from(files)
    .innerJoin(checkpoints, eq(checkpoints.id, files.checkpointId))
    .where(and(inArray(checkpoints.state, ['open', 'queued', 'working']), runId === undefined ? undefined : eq(checkpoints.runId, runId)));
  return Number(sum!.bytes);
}
