import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { HubCheckpointRecords } from '../../contract/hub/hub-checkpoint-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { checkpoints, hubCheckpoints, hubCommits, hubRefs, repositories, runs } from '../../db/schema.ts';

/** See `HubCheckpointRecords`. */
export function hubCheckpointRecords(db: Db): HubCheckpointRecords {
  const { query } = db;
  return {
    async add(record) {
      await query.insert(hubCheckpoints).values(record);
    },
    async find(checkpointId) {
      const [found] = await query.select().from(hubCheckpoints).where(eq(hubCheckpoints.checkpointId, checkpointId));
      return found && dropNulls(found);
    },
    async among(checkpointIds) {
      if (checkpointIds.length === 0) return new Set();
      const found = await query
        .select({ id: hubCheckpoints.checkpointId })
        .from(hubCheckpoints)
        .where(inArray(hubCheckpoints.checkpointId, [...checkpointIds]));
      return new Set(found.map(({ id }) => id));
    },
    async unpublished(limit) {
      const found = await query
        .select({ id: hubCheckpoints.checkpointId })
        .from(hubCheckpoints)
        .innerJoin(checkpoints, eq(checkpoints.id, hubCheckpoints.checkpointId))
        .innerJoin(repositories, eq(repositories.id, hubCheckpoints.repositoryId))
        .where(
          and(
            isNull(hubCheckpoints.publishedId),
            eq(checkpoints.state, 'ready'),
            isNull(checkpoints.deletedAt),
            isNull(repositories.deletedAt),
          ),
        )
        .orderBy(checkpoints.finishedAt)
        .limit(limit);
      return found.map(({ id }) => id);
    },
    async uncommitted({ mainBranch, mainRun, limit }) {
      const found = await db.rows(sql`
        select newest.id from ${hubRefs} ref
        join ${repositories} repository on repository.id = ref.repository_id and repository.deleted_at is null
        join ${hubCommits} head on head.repository_id = ref.repository_id and head.id = ref.commit_id
        join ${runs} run on run.repository_id = ref.repository_id and run.deleted_at is null
        join lateral (
          select id, committed_at from ${checkpoints}
          where run_id = run.id and state = 'ready' and deleted_at is null order by sequence desc limit 1
        ) newest on true
        where ref.kind = 'branch' and (ref.name = run.name or ref.name = ${mainBranch} and not exists (
            select from ${runs} shown where shown.repository_id = run.repository_id and shown.name = ${mainRun}
              and shown.deleted_at is null and shown.id <> run.id))
          and date_trunc('second', newest.committed_at) > date_trunc('second', head.created_at)
          and not exists (select from ${hubCheckpoints} made where made.checkpoint_id = newest.id)
        limit ${limit}`);
      return found.map(({ id }) => id as string);
    },
    async setPublished(checkpointId, publishedId) {
      await query.update(hubCheckpoints).set({ publishedId }).where(eq(hubCheckpoints.checkpointId, checkpointId));
    },
  };
}
