import { and, asc, eq, gt, inArray, or, sql } from 'drizzle-orm';
import { isLive } from '../live-body-reservations.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import type { FoundObject, GarbageRecords } from '../../contract/storage/garbage-records.ts';
import { objectRecords } from './objects.ts';
import { pageLimit } from '../../db/page-limit.ts';
import {
  bodyReservations,
  checkpoints,
  pendingDeletions,
  evalSets,
  jobs,
  repositories,
  runs,
  uploads,
} from '../../db/schema.ts';

/** See `GarbageRecords`. */
export function garbageRecords(db: Db): GarbageRecords {
  const { query } = db;
  return {
    async pendingDeletions(until, page) {
      const later = page.after === undefined ? undefined : gt(pendingDeletions.key, page.after);
      const found = await query
        .select()
        .from(pendingDeletions)
        // In whole milliseconds, like `until`.
        .where(
          and(
            sql`date_trunc('milliseconds', ${pendingDeletions.pendingSince}) <= ${until.toISOString()}::timestamptz`,
            later,
          ),
        )
        .orderBy(asc(pendingDeletions.key))
        .limit(pageLimit(page));
      return found.map(dropNulls);
    },
    async orphans(objects) {
      if (objects.length === 0) return [];
      const isOnItsWay = await whatIsOnItsWay(db, objects);
      const keys = objects.map(({ key }) => key);
      const known = new Set([...(await objectRecords(db).named(keys)), ...(await pendingAmong(db, keys))]);
      return objects.filter((object) => !known.has(object.key) && !isOnItsWay(object));
    },
    async markOrphans(objects) {
      if (objects.length === 0) return;
      const repositoryOf = await repositoriesOf(db, objects);
      const rows = objects.map(({ key, storedBytes, ownerId }) => ({
        key,
        storedBytes,
        repositoryId: ownerId === undefined ? undefined : repositoryOf.get(ownerId),
        reason: 'orphan' as const,
      }));
      await query.insert(pendingDeletions).values(rows).onConflictDoNothing();
    },
    async noteSizes(objects) {
      if (objects.length === 0) return;
      const sizes = objects.map(({ key, storedBytes }) => sql`(${key}::text, ${storedBytes}::bigint)`);
      await db.rows(sql`
        update ${pendingDeletions} set stored_bytes = found.stored_bytes
        from (values ${sql.join(sizes, sql`, `)}) found (key, stored_bytes)
        where ${pendingDeletions.key} = found.key and ${pendingDeletions.storedBytes} is null`);
    },
    async forget(keys) {
      if (keys.length > 0) await query.delete(pendingDeletions).where(inArray(pendingDeletions.key, [...keys]));
    },
  };
}

async function pendingAmong({ query }: Db, keys: readonly string[]): Promise<string[]> {
  const found = await query
    .select({ key: pendingDeletions.key })
    .from(pendingDeletions)
    .where(inArray(pendingDeletions.key, [...keys]));
  return found.map(({ key }) => key);
}

/**
 * Owners and jobs whose objects may not be named yet. These are bodies of an owner that is arriving or has an
 * unfinished upload, pieces of such an upload, and packages that a running job may have written: one for their
 * checkpoint, or one for no checkpoint, because its packages' keys do not show it.
 */
async function whatIsOnItsWay(
  { query }: Db,
  objects: readonly FoundObject[],
): Promise<(object: FoundObject) => boolean> {
  const owners = objects.flatMap(({ ownerId }) => ownerId ?? []);
  const fences = [...new Set(objects.flatMap(({ fence }) => fence ?? []))];
  const bodies = await query
    .select({
      checkpointId: bodyReservations.checkpointId,
      evalSetId: bodyReservations.evalSetId,
      repositoryId: bodyReservations.repositoryId,
    })
    .from(bodyReservations)
    .where(
      and(
        isLive,
        or(
          inArray(bodyReservations.checkpointId, owners),
          inArray(bodyReservations.evalSetId, owners),
          inArray(bodyReservations.repositoryId, owners),
        ),
      ),
    );
  const { id, checkpointId, evalSetId } = uploads;
  const resumable = await query
    .select({ id, checkpointId, evalSetId })
    .from(uploads)
    .where(
      and(eq(uploads.isComplete, false), or(...[id, checkpointId, evalSetId].map((column) => inArray(column, owners)))),
    );
  const onTheirWay = new Set([...bodies, ...resumable].flatMap((each) => Object.values(each)));
  const running = await query
    .select({ subjectId: jobs.subjectId, fence: jobs.fence, checkpointId: checkpoints.id })
    .from(jobs)
    .leftJoin(checkpoints, eq(checkpoints.id, jobs.subjectId))
    .where(and(eq(jobs.state, 'running'), inArray(jobs.fence, fences)));
  const writes = new Set(
    running.map(({ subjectId, fence, checkpointId }) =>
      checkpointId === null ? `-${fence}` : `${subjectId}-${fence}`,
    ),
  );
  return ({ ownerId = '', fence }) =>
    fence === undefined ? onTheirWay.has(ownerId) : writes.has(`${ownerId}-${fence}`) || writes.has(`-${fence}`);
}

/** By owner, if the owner is still in the catalog. */
async function repositoriesOf({ query }: Db, objects: readonly FoundObject[]): Promise<Map<string, string>> {
  const owners = objects.flatMap(({ ownerId }) => ownerId ?? []);
  const ofCheckpoints = await query
    .select({ id: checkpoints.id, repositoryId: runs.repositoryId })
    .from(checkpoints)
    .innerJoin(runs, eq(runs.id, checkpoints.runId))
    .where(inArray(checkpoints.id, owners));
  const ofEvalSets = await query
    .select({ id: evalSets.id, repositoryId: evalSets.repositoryId })
    .from(evalSets)
    .where(inArray(evalSets.id, owners));
  // Files of commits: the owner in their keys is the repository itself.
  const ofRepositories = await query
    .select({ id: repositories.id, repositoryId: repositories.id })
    .from(repositories)
    .where(inArray(repositories.id, owners));
  return new Map(
    [...ofCheckpoints, ...ofEvalSets, ...ofRepositories].map(({ id, repositoryId }) => [id, repositoryId]),
  );
}
