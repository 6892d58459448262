import { and, inArray, isNotNull, sql, type SQL } from 'drizzle-orm';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Db } from '../db/database.ts';
import type { DeletionReason } from '../contract/garbage-records.ts';
import { checkpointFiles, checkpoints, pendingDeletions, packages, runs } from '../db/schema.ts';

/** Enters the raw objects of the files that `which` names, before their rows forget them. Returns their keys. */
export function markRawPendingDeletion(tx: Db, which: SQL, reason: DeletionReason): Promise<string[]> {
  return markSelected(
    tx,
    sql`select ${checkpointFiles.rawKey}, ${checkpointFiles.rawStoredBytes}, ${runs.repositoryId}, ${reason}
      from ${checkpointFiles} join ${checkpoints} on ${checkpoints.id} = ${checkpointFiles.checkpointId} join ${runs} on ${runs.id} = ${checkpoints.runId}
      where ${and(which, isNotNull(checkpointFiles.rawKey))}`,
  );
}

/** Enters the objects of the packages that `which` names, each of which has one of its own. Returns their keys. */
export function markPackagesPendingDeletion(tx: Db, which: SQL, reason: DeletionReason): Promise<string[]> {
  return markSelected(
    tx,
    sql`select ${packages.key}, ${packages.storedBytes}, ${runs.repositoryId}, ${reason}
      from ${packages} join ${checkpoints} on ${checkpoints.id} = ${packages.checkpointId} join ${runs} on ${runs.id} = ${checkpoints.runId}
      where ${which}`,
  );
}

/** Enters objects by what the caller knows of them; those without a key are left out. Returns their keys. */
export async function markPendingDeletion(
  { query }: Pick<Db, 'query'>,
  objects: readonly {
    readonly key: string | null;
    readonly storedBytes: number | null;
    readonly repositoryId: string;
  }[],
  reason: DeletionReason,
): Promise<string[]> {
  const rows = objects.flatMap(({ key, ...rest }) => (key === null ? [] : [{ key, ...rest, reason }]));
  if (rows.length > 0) await query.insert(pendingDeletions).values(rows).onConflictDoNothing();
  return rows.map(({ key }) => key);
}

/**
 * Throws `conflict` for a key that waits to be deleted: keys are never used again, so whoever would name it has lost a
 * race with the collection of orphans.
 */
export async function refusePendingDeletion({ query }: Pick<Db, 'query'>, keys: readonly string[]): Promise<void> {
  const [found] = await query
    .select({ key: pendingDeletions.key })
    .from(pendingDeletions)
    .where(inArray(pendingDeletions.key, [...keys]))
    .limit(1);
  if (found !== undefined)
    throw new FirnError('conflict', 'The stored bytes were given up meanwhile; send them again.', {
      detail: found.key,
    });
}

async function markSelected(tx: Db, selected: SQL): Promise<string[]> {
  const entered = await tx.rows(sql`
    insert into ${pendingDeletions} (key, stored_bytes, repository_id, reason) ${selected} on conflict do nothing returning ${pendingDeletions.key} as key`);
  return entered.map((row) => row['key'] as string);
}
