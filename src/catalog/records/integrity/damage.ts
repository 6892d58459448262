import { asc, count, eq, gt, inArray, sql, type SQL } from 'drizzle-orm';
import type { Db } from '../../db/database.ts';
import type { DamageRecords } from '../../contract/storage/integrity-records.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { announceDamage } from '../webhooks/announce.ts';
import {
  checkpointFiles,
  checkpoints,
  damagedObjects,
  evalSets,
  hubBlobs,
  hubXorbs,
  packages,
  repositories,
  runs,
} from '../../db/schema.ts';

/** Most checkpoints listed for one damaged object: far more than build on one package. */
const affectedMax = 10_000;

/** See `DamageRecords`. */
export function damageRecords(db: Db): DamageRecords {
  const { query } = db;
  return {
    note: (damaged) =>
      db.transaction(async (tx) => {
        const added = await tx.query
          .insert(damagedObjects)
          .values(damaged)
          .onConflictDoNothing()
          .returning({ key: damagedObjects.key });
        if (added.length === 0)
          await tx.query
            .update(damagedObjects)
            .set({ what: damaged.what, detail: damaged.detail })
            .where(eq(damagedObjects.key, damaged.key));
        else await announceDamage(tx, (await damageRecords(tx).affected(damaged.key)).checkpoints);
        return added.length > 0;
      }),
    async clear(key) {
      return (
        (await query.delete(damagedObjects).where(eq(damagedObjects.key, key)).returning({ key: damagedObjects.key }))
          .length > 0
      );
    },
    list(page) {
      const later = page.after === undefined ? undefined : gt(damagedObjects.key, page.after);
      return query.select().from(damagedObjects).where(later).orderBy(asc(damagedObjects.key)).limit(pageLimit(page));
    },
    async count() {
      const [counted] = await query.select({ count: count() }).from(damagedObjects);
      return counted!.count;
    },
    async among(keys) {
      if (keys.length === 0) return [];
      const found = await query
        .select({ key: damagedObjects.key })
        .from(damagedObjects)
        .where(inArray(damagedObjects.key, [...keys]));
      return found.map(({ key }) => key);
    },
    async affected(key) {
      const named = await db.rows(sql`
        with recursive ${spoiltBy(sql`= ${key}`)}
        select ${repositories.namespace} as namespace, ${repositories.name} as repository, ${runs.name} as run,
          ${checkpoints.step}::text as step
        from ${checkpoints} join ${runs} on ${runs.id} = ${checkpoints.runId}
        join ${repositories} on ${repositories.id} = ${runs.repositoryId}
        where ${checkpoints.deletedAt} is null and ${checkpoints.id} in (
          select checkpoint_id from spoilt_files
          union select ${checkpoints.id} from ${checkpoints}
          join spoilt_packages on spoilt_packages.id = ${checkpoints.packageId})
        order by 1, 2, 3, ${checkpoints.sequence} limit ${affectedMax}`);
      const sets = await query
        .select({ namespace: repositories.namespace, repository: repositories.name, name: evalSets.name })
        .from(evalSets)
        .innerJoin(repositories, eq(repositories.id, evalSets.repositoryId))
        .where(sql`${evalSets.graphKey} = ${key} or ${evalSets.batchesKey} = ${key}`);
      const owners = await db.rows(sql`
        select ${repositories.namespace} as namespace, ${repositories.name} as name from ${repositories}
        where ${repositories.id} in (
          select ${hubBlobs.repositoryId} from ${hubBlobs} where ${hubBlobs.rawKey} = ${key}
          union select ${hubXorbs.repositoryId} from ${hubXorbs} where ${hubXorbs.key} = ${key})`);
      return {
        checkpoints: named.map((row) => ({
          namespace: row['namespace'] as string,
          repository: row['repository'] as string,
          run: row['run'] as string,
          step: Number(row['step']),
        })),
        evalSets: sets.map(({ namespace, repository, name }) => `${namespace}/${repository}/${name}`),
        repositories: owners.map((row) => `${row['namespace'] as string}/${row['name'] as string}`),
      };
    },
    async pathsOf(checkpointId) {
      // The usual case: nothing is damaged.
      if ((await query.select({ key: damagedObjects.key }).from(damagedObjects).limit(1)).length === 0) return [];
      const found = await db.rows(sql`
        with recursive ${spoiltBy(sql`in (select ${damagedObjects.key} from ${damagedObjects})`)}
        select distinct ${checkpointFiles.path} as path from ${checkpointFiles}
          join spoilt_files on spoilt_files.id = ${checkpointFiles.id}
        where ${checkpointFiles.checkpointId} = ${checkpointId} order by 1`);
      return found.map((row) => row['path'] as string);
    },
  };
}

/**
 * Packages in objects whose key is in `which`, all deltas that build on them, and files that cannot be downloaded
 * because of them: references included, and files whose retained upload is damaged. `union` drops packages seen before,
 * so that a circle of rows ends.
 */
function spoiltBy(which: SQL): SQL {
  return sql`
    spoilt_packages (id) as (
      select ${packages.id} from ${packages} where ${packages.key} ${which}
      union select ${packages.id} from ${packages} join spoilt_packages on spoilt_packages.id = ${packages.ancestorId}),
    spoilt_own (id, checkpoint_id, serves) as (
      select ${checkpointFiles.id}, ${checkpointFiles.checkpointId}, coalesce(${checkpointFiles.storage} = 'raw', false)
      from ${checkpointFiles} where ${checkpointFiles.rawKey} ${which}
      union select ${checkpointFiles.id}, ${checkpointFiles.checkpointId}, true
      from ${checkpointFiles} join ${checkpoints} on ${checkpoints.id} = ${checkpointFiles.checkpointId}
      join spoilt_packages on spoilt_packages.id = ${checkpoints.packageId}
      where ${checkpointFiles.storage} = 'package'),
    spoilt_files (id, checkpoint_id) as (
      select id, checkpoint_id from spoilt_own
      union select ${checkpointFiles.id}, ${checkpointFiles.checkpointId}
      from ${checkpointFiles} join spoilt_own on spoilt_own.id = ${checkpointFiles.originId} where spoilt_own.serves)`;
}
