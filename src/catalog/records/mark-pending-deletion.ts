import { and, inArray, isNotNull, sql, type SQL } from 'drizzle-orm';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Db } from '../db/database.ts';
import type { DeletionReason } from '../contract/storage/garbage-records.ts';
import { checkpointFiles, checkpoints, pendingDeletions, packages, runs } from '../db/schema.ts';

/** Marks the raw objects of the files in `which`, before their rows lose the keys. Returns the keys. */
export function markRawPendingDeletion(tx: Db, which: SQL, reason: DeletionReason): Promise<string[]> {
  return markSelected(
    tx,
    sql`select ${checkpointFiles.rawKey}, ${checkpointFiles.rawStoredBytes}, ${runs.repositoryId}, ${reason}
      from ${checkpointFiles} join ${checkpoints} on ${checkpoints.id} = ${checkpointFiles.checkpointId}
      join ${runs} on ${runs.id} = ${checkpoints.runId}
      where ${and(which, isNotNull(checkpointFiles.rawKey))}`,
  );
}

/** Marks the objects of the packages in `which`, which must not be merged packages. Returns the keys. */
export function markPackagesPendingDeletion(tx: Db, which: SQL, reason: DeletionReason): Promise<string[]> {
  return markSelected(
    tx,
    sql`select ${packages.key}, ${packages.storedBytes}, ${runs.repositoryId}, ${reason}
      from ${packages} join ${checkpoints} on ${checkpoints.id} = ${packages.checkpointId}
      join ${runs} on ${runs.id} = ${checkpoints.runId}
      where ${which}`,
  );
}

/**
 * Marks objects as pending deletion, with the owner and size that the caller knows; skips those without a key. Returns
 * their keys.
 */
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
 * Throws `conflict` for a key that is pending deletion. Keys are never reused, so the caller has lost a race with the
 * collection of orphans.
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
    insert into ${pendingDeletions} (key, stored_bytes, repository_id, reason) ${selected} on conflict do nothing
    returning ${pendingDeletions.key} as key`);
  return entered.map((row) => row['key'] as string);
}
