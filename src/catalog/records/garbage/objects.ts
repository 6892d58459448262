import { eq, sql, type SQL } from 'drizzle-orm';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import type { ObjectRecords } from '../../contract/storage/integrity-records.ts';
import { pageLimit } from '../../db/page-limit.ts';
import {
  checkpointFiles,
  checkpoints,
  evalSets,
  hubBlobs,
  hubParts,
  hubXorbs,
  packages,
  runs,
  scrubRounds,
  uploadPieces,
  uploads,
} from '../../db/schema.ts';
import { textList } from '../../db/text-list.ts';

/** Id of the one row with the position of the background scrubber. */
const everyObject = 'every object';

/** See `ObjectRecords`. */
export function objectRecords(db: Db): ObjectRecords {
  const { query } = db;
  return {
    async keys(page, repositoryId) {
      const limit = pageLimit(page);
      const found = await db.rows(sql`
        select key from (${union((column) => sql`${column} > ${page.after ?? ''}`, repositoryId, limit)}) named
          order by key limit ${limit}`);
      return found.map((row) => row['key'] as string);
    },
    async named(keys) {
      if (keys.length === 0) return [];
      const found = await db.rows(union((column) => sql`${column} in ${textList(keys)}`));
      return found.map((row) => row['key'] as string);
    },
    async scrubRound() {
      const [found] = await query.select().from(scrubRounds).where(eq(scrubRounds.name, everyObject));
      if (found === undefined) return undefined;
      const { name: _, ...round } = found;
      return dropNulls(round);
    },
    async setScrubRound({ begunAt, endedAt, afterKey, objects, bytes }) {
      const set = { begunAt, endedAt: endedAt ?? null, afterKey, objects, bytes };
      await query
        .insert(scrubRounds)
        .values({ name: everyObject, ...set })
        .onConflictDoUpdate({ target: scrubRounds.name, set });
    },
  };
}

/** The keys in every column that names an object, each once; at most `limit` of each column. */
function union(which: (column: SQL) => SQL, repositoryId?: string, limit?: number): SQL {
  const column = (key: SQL, from: SQL, repository: SQL): SQL => {
    const own = repositoryId === undefined ? sql`` : sql`and ${repository} = ${repositoryId}`;
    return sql`(select distinct ${key} as key from ${from} where ${which(key)} ${own}
      ${limit === undefined ? sql`` : sql`order by 1 limit ${limit}`})`;
  };
  const ofRun = (checkpointId: SQL): SQL =>
    repositoryId === undefined
      ? sql``
      : sql`join ${checkpoints} on ${checkpoints.id} = ${checkpointId}
        join ${runs} on ${runs.id} = ${checkpoints.runId}`;
  return sql.join(
    [
      column(sql`${packages.key}`, sql`${packages} ${ofRun(sql`${packages.checkpointId}`)}`, sql`${runs.repositoryId}`),
      column(
        sql`${checkpointFiles.rawKey}`,
        sql`${checkpointFiles} ${ofRun(sql`${checkpointFiles.checkpointId}`)}`,
        sql`${runs.repositoryId}`,
      ),
      column(sql`${evalSets.graphKey}`, sql`${evalSets}`, sql`${evalSets.repositoryId}`),
      column(sql`${evalSets.batchesKey}`, sql`${evalSets}`, sql`${evalSets.repositoryId}`),
      column(
        sql`${uploadPieces.key}`,
        sql`${uploadPieces} join ${uploads} on ${uploads.id} = ${uploadPieces.uploadId}`,
        sql`${uploads.repositoryId}`,
      ),
      column(sql`${hubBlobs.rawKey}`, sql`${hubBlobs}`, sql`${hubBlobs.repositoryId}`),
      column(sql`${hubParts.key}`, sql`${hubParts}`, sql`${hubParts.repositoryId}`),
      column(sql`${hubXorbs.key}`, sql`${hubXorbs}`, sql`${hubXorbs.repositoryId}`),
    ],
    sql` union `,
  );
}
