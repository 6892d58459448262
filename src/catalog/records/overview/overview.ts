import { and, asc, eq, inArray, isNull, or, sql, type SQL } from 'drizzle-orm';
import { checkpointStates, type CheckpointState } from '../../contract/checkpoint-records.ts';
import type { OverviewRecords, RepositorySums, RunSums } from '../../contract/overview-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { textList } from '../../db/text-list.ts';
import { checkpointColumns } from '../../db/record-columns.ts';
import { checkpoints, packages, repositories, runs } from '../../db/schema.ts';
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
    async queued(limit) {
      const found = await db.query
        .select({
          namespace: repositories.namespace,
          name: repositories.name,
          run: runs.name,
          checkpoint: checkpointColumns,
        })
        .from(checkpoints)
        .innerJoin(runs, eq(runs.id, checkpoints.runId))
        .innerJoin(repositories, eq(repositories.id, runs.repositoryId))
        .where(and(eq(checkpoints.state, 'queued'), isNull(checkpoints.deletedAt)))
        .orderBy(asc(checkpoints.createdAt), asc(checkpoints.id))
        .limit(pageLimit({ limit }));
      return found.map(({ checkpoint, ...names }) => ({ ...names, checkpoint: dropNulls(checkpoint) }));
    },
  };
}

async function repositorySums({ rows }: Db, ids: readonly string[]): Promise<Map<string, RepositorySums>> {
  if (ids.length === 0) return new Map();
  // The sums of a run come from an index alone.
  const found = await rows(sql`
    select ${runs.repositoryId} as id, count(*)::text as run_count, sum(ready.count)::text as ready_count,
      sum(ready.raw_bytes)::text as raw_bytes, sum(ready.stored_bytes)::text as stored_bytes
    from ${runs} cross join lateral (
      select count(*) as count, ${sumOf('rawBytes')}::bigint as raw_bytes,
        ${sumOf('storedBytes')}::bigint as stored_bytes
      from ${checkpoints}
      where ${checkpoints.runId} = ${runs.id} and ${checkpoints.state} = 'ready' and ${checkpoints.deletedAt} is null
    ) ready
    where ${runs.repositoryId} in ${textList(ids)} and ${runs.deletedAt} is null group by ${runs.repositoryId}`);
  return new Map(
    found.map((row) => [
      row['id'] as string,
      {
        runCount: Number(row['run_count']),
        readyCount: Number(row['ready_count']),
        rawBytes: Number(row['raw_bytes']),
        storedBytes: Number(row['stored_bytes']),
      },
    ]),
  );
}

function sumOf(field: 'rawBytes' | 'storedBytes') {
  return sql<string>`coalesce(sum(${checkpoints[field]}), 0)::text`;
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

/**
 * Equal distances by sequence. Each is looked up in the index of the run's sequences, so that no other row is read,
 * however long the run is.
 */
async function sample(db: Db, runId: string, countMax: number) {
  const live = and(eq(checkpoints.runId, runId), isNull(checkpoints.deletedAt));
  const inOrder = (which: SQL | undefined) =>
    db.query.select(checkpointColumns).from(checkpoints).where(which).orderBy(asc(checkpoints.sequence));
  const sequence = sql`
    select ${checkpoints.sequence} from ${checkpoints} where ${live} order by ${checkpoints.sequence}`;
  const [ends] = await db.rows(sql`
    select (${sequence} limit 1) as first, (${sequence} desc limit 1) as last,
      (${sequence} offset ${countMax} limit 1) as more`);
  if (ends!['more'] === null) return (await inOrder(live).limit(countMax)).map(dropNulls);
  const [first, last] = [Number(ends!['first']), Number(ends!['last'])];
  const distance = Math.ceil((last - first + 1) / countMax);
  const taken = await db.rows(sql`
    select taken.id from generate_series(${first}::int, ${last}::int, ${distance}::int) as place (sequence)
    cross join lateral (
      select ${checkpoints.id} as id from ${checkpoints}
      where ${live} and ${checkpoints.sequence} >= place.sequence
        and ${checkpoints.sequence} < place.sequence + ${distance}::int
      order by ${checkpoints.sequence} limit 1) taken`);
  const ids = taken.map(({ id }) => id as string);
  const newest = and(live, eq(checkpoints.sequence, last));
  return (await inOrder(or(inArray(checkpoints.id, ids), newest))).map(dropNulls);
}
