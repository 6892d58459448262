import { and, asc, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm';
import { checkpointStates, type CheckpointState } from '../../contract/checkpoint-records.ts';
import type { OverviewRecords, RepositorySums, RunSums } from '../../contract/overview-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { checkpointColumns } from '../../db/record-columns.ts';
import { checkpoints, packages, runs } from '../../db/schema.ts';
import { runRecords } from '../runs/runs.ts';

const noSums: RunSums = {
  counts: Object.fromEntries(checkpointStates.map((state) => [state, 0])) as Record<CheckpointState, number>,
  rawBytes: 0,
  storedBytes: 0,
};

/** See `OverviewRecords`. */
export function overviewRecords(db: Db): OverviewRecords {
  return {
    repositories: (ids) => repositorySums(db, ids),
    async runs(repositoryId, page) {
      const listed = await runRecords(db).list(repositoryId, page);
      const [sums, parents] = [
        await sumsOf(
          db,
          listed.map(({ id }) => id),
        ),
        await forkPointsOf(
          db,
          repositoryId,
          listed.flatMap(({ parentCheckpointId }) => parentCheckpointId ?? []),
        ),
      ];
      return listed.map((run) => {
        const forkedFrom = parents.get(run.parentCheckpointId ?? '');
        return { ...(sums.get(run.id) ?? noSums), run, ...(forkedFrom && { forkedFrom }) };
      });
    },
    sums: async (runId) => (await sumsOf(db, [runId])).get(runId) ?? noSums,
    sample: (runId, countMax) => sample(db, runId, countMax),
    async forks({ id, repositoryId }, limit) {
      return db.query
        .select({ run: runs.name, step: checkpoints.step })
        .from(runs)
        .innerJoin(checkpoints, eq(checkpoints.id, runs.parentCheckpointId))
        .where(and(eq(checkpoints.runId, id), eq(runs.repositoryId, repositoryId), isNull(runs.deletedAt)))
        .orderBy(asc(runs.name))
        .limit(pageLimit({ limit }));
    },
    async packages(ids) {
      if (ids.length === 0) return [];
      const found = await db.query
        .select()
        .from(packages)
        .where(inArray(packages.id, [...ids]))
        .limit(pageLimit({ limit: ids.length }));
      return found.map(dropNulls);
    },
  };
}

async function repositorySums({ query }: Db, ids: readonly string[]): Promise<Map<string, RepositorySums>> {
  if (ids.length === 0) return new Map();
  const rows = await query
    .select({
      id: runs.repositoryId,
      runCount: sql<string>`count(distinct ${runs.id})::text`,
      readyCount: sql<string>`count(${checkpoints.id})::text`,
      rawBytes: sumOf('rawBytes'),
      storedBytes: sumOf('storedBytes'),
    })
    .from(runs)
    .leftJoin(
      checkpoints,
      and(eq(checkpoints.runId, runs.id), eq(checkpoints.state, 'ready'), isNull(checkpoints.deletedAt)),
    )
    .where(and(inArray(runs.repositoryId, [...ids]), isNull(runs.deletedAt)))
    .groupBy(runs.repositoryId);
  return new Map(
    rows.map(({ id, ...sums }) => [
      id,
      {
        runCount: Number(sums.runCount),
        readyCount: Number(sums.readyCount),
        rawBytes: Number(sums.rawBytes),
        storedBytes: Number(sums.storedBytes),
      },
    ]),
  );
}

function sumOf(field: 'rawBytes' | 'storedBytes') {
  return sql<string>`coalesce(sum((${checkpoints.result} ->> ${field})::numeric), 0)::text`;
}

async function sumsOf({ query }: Db, runIds: readonly string[]): Promise<Map<string, RunSums>> {
  if (runIds.length === 0) return new Map();
  const rows = await query
    .select({
      runId: checkpoints.runId,
      state: checkpoints.state,
      count: sql<string>`count(*)::text`,
      rawBytes: sumOf('rawBytes'),
      storedBytes: sumOf('storedBytes'),
    })
    .from(checkpoints)
    .where(and(inArray(checkpoints.runId, [...runIds]), isNull(checkpoints.deletedAt)))
    .groupBy(checkpoints.runId, checkpoints.state);
  const sums = new Map<string, RunSums>();
  for (const { runId, state, count, rawBytes, storedBytes } of rows) {
    const before = sums.get(runId) ?? noSums;
    const isReady = state === 'ready';
    sums.set(runId, {
      counts: { ...before.counts, [state]: Number(count) },
      rawBytes: before.rawBytes + (isReady ? Number(rawBytes) : 0),
      storedBytes: before.storedBytes + (isReady ? Number(storedBytes) : 0),
    });
  }
  return sums;
}

async function forkPointsOf({ query }: Db, repositoryId: string, checkpointIds: readonly string[]) {
  if (checkpointIds.length === 0) return new Map<string, { run: string; step: number }>();
  const found = await query
    .select({ id: checkpoints.id, run: runs.name, step: checkpoints.step })
    .from(checkpoints)
    .innerJoin(runs, eq(runs.id, checkpoints.runId))
    .where(and(inArray(checkpoints.id, [...checkpointIds]), eq(runs.repositoryId, repositoryId)));
  return new Map(found.map(({ id, run, step }) => [id, { run, step }]));
}

/** Equal distances by sequence, so that the index finds the rows and no other row is read. */
async function sample({ query }: Db, runId: string, countMax: number) {
  const live = and(eq(checkpoints.runId, runId), isNull(checkpoints.deletedAt));
  const [range] = await query
    .select({
      count: sql<string>`count(*)::text`,
      first: sql<string>`coalesce(min(${checkpoints.sequence}), 0)::text`,
      last: sql<string>`coalesce(max(${checkpoints.sequence}), 0)::text`,
    })
    .from(checkpoints)
    .where(live);
  const [count, first, last] = [Number(range!.count), Number(range!.first), Number(range!.last)];
  const distance = count <= countMax ? 1 : Math.ceil((last - first + 1) / countMax);
  const taken = or(
    sql`(${checkpoints.sequence} - ${first}::int) % ${distance}::int = 0`,
    eq(checkpoints.sequence, last),
  );
  const found = await query
    .select(checkpointColumns)
    .from(checkpoints)
    .where(and(live, taken, gt(checkpoints.sequence, first - 1)))
    .orderBy(asc(checkpoints.sequence))
    .limit(pageLimit({ limit: countMax + 1 }));
  return found.map(dropNulls);
}
