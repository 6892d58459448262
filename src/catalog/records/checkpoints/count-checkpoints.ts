import { and, inArray, isNull, sql } from 'drizzle-orm';
import { checkpointStates, type CheckpointCounts } from '../../contract/checkpoint-records.ts';
import type { Db } from '../../db/database.ts';
import { checkpoints } from '../../db/schema.ts';

/** See `CheckpointRecords.counts`. */
export async function countCheckpoints(
  { query }: Db,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, CheckpointCounts>> {
  if (runIds.length === 0) return new Map();
  const { runId, state } = checkpoints;
  const rows = await query
    .select({ runId, state, count: sql<number>`count(*)::int` })
    .from(checkpoints)
    .where(and(inArray(runId, [...runIds]), isNull(checkpoints.deletedAt)))
    .groupBy(runId, state);
  const own = (id: string) => rows.filter((row) => row.runId === id);
  return new Map([...new Set(rows.map((row) => row.runId))].map((id) => [id, countsOf(own(id))]));
}

function countsOf(rows: readonly { readonly state: string; readonly count: number }[]): CheckpointCounts {
  const count = (state: string): number => rows.find((row) => row.state === state)?.count ?? 0;
  return Object.fromEntries(checkpointStates.map((state) => [state, count(state)])) as CheckpointCounts;
}
