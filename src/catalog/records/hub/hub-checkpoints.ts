import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { HubCheckpointRecords } from '../../contract/hub/hub-checkpoint-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { checkpoints, hubCheckpoints, repositories } from '../../db/schema.ts';

/** See `HubCheckpointRecords`. */
export function hubCheckpointRecords({ query }: Db): HubCheckpointRecords {
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
    async setPublished(checkpointId, publishedId) {
      await query.update(hubCheckpoints).set({ publishedId }).where(eq(hubCheckpoints.checkpointId, checkpointId));
    },
  };
}
