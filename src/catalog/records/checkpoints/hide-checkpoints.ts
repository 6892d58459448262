import { and, eq, inArray, isNotNull, notExists, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { markRawPendingDeletion } from '../mark-pending-deletion.ts';
import type { Db } from '../../db/database.ts';
import { checkpointFiles, checkpoints, uploads } from '../../db/schema.ts';
import { leaveFiles } from '../hub/leave-files.ts';
import { endUploads } from '../uploads/uploads.ts';

/** Rows of one statement: far below the protocol's 65535 parameters. */
const rowsPerQuery = 1000;

export interface HiddenCheckpoints {
  readonly ids: readonly string[];
  /** Keys of raw objects and pieces that are now pending deletion, because no row refers to them any more. */
  readonly keys: string[];
}

/**
 * Hides the checkpoints in `which` and deletes their uploads and references. Files of commits that they hold are taken
 * from another checkpoint from then on, or are gone. Releases their raw objects too, because
 * checkpoints that build on them read only their packages. A raw object that a reference of another checkpoint needs
 * stays until the last of these is hidden.
 */
export async function hideCheckpoints(db: Db, which: SQL): Promise<HiddenCheckpoints> {
  return db.transaction(async (tx) => {
    const { query } = tx;
    const hidden = await query
      .update(checkpoints)
      .set({ deletedAt: sql`coalesce(${checkpoints.deletedAt}, now())` })
      .where(which)
      .returning({ id: checkpoints.id });
    const own = query.select({ id: checkpoints.id }).from(checkpoints).where(which);
    const origins = (
      await query
        .select({ id: checkpointFiles.originId })
        .from(checkpointFiles)
        .where(and(inArray(checkpointFiles.checkpointId, own), isNotNull(checkpointFiles.originId)))
    ).map(({ id }) => id!);
    await query.update(checkpointFiles).set({ originId: null }).where(inArray(checkpointFiles.checkpointId, own));
    await leaveFiles(tx, inArray(checkpointFiles.checkpointId, own));
    const ended = await endUploads(tx, inArray(uploads.checkpointId, own));
    const ownKeys = await releaseUnneeded(tx, inArray(checkpointFiles.checkpointId, own));
    const originKeys: string[] = [];
    for (let start = 0; start < origins.length; start += rowsPerQuery) {
      const some = inArray(checkpointFiles.id, origins.slice(start, start + rowsPerQuery));
      originKeys.push(...(await releaseUnneeded(tx, and(some, inArray(checkpointFiles.checkpointId, hiddenIds(tx)))!)));
    }
    return { ids: hidden.map(({ id }) => id), keys: [...ownKeys, ...originKeys, ...ended.keys] };
  });
}

function hiddenIds({ query }: Db) {
  return query.select({ id: checkpoints.id }).from(checkpoints).where(isNotNull(checkpoints.deletedAt));
}

/** Marks the raw objects of hidden checkpoints' files that no reference needs; returns their keys. */
async function releaseUnneeded(tx: Db, which: SQL): Promise<string[]> {
  const { query } = tx;
  // Lock the files first. A reference that is being committed locks its origin too, so the next statement sees it.
  await query
    .select({ id: checkpointFiles.id })
    .from(checkpointFiles)
    .where(and(which, isNotNull(checkpointFiles.rawKey)))
    .for('update');
  const reference = alias(checkpointFiles, 'reference');
  const needed = query.select({ id: reference.id }).from(reference).where(eq(reference.originId, checkpointFiles.id));
  const held = await query
    .select({ id: checkpointFiles.id })
    .from(checkpointFiles)
    .where(and(which, isNotNull(checkpointFiles.rawKey), notExists(needed)));
  const keys: string[] = [];
  for (let start = 0; start < held.length; start += rowsPerQuery) {
    const ids = held.slice(start, start + rowsPerQuery).map(({ id }) => id);
    const some = inArray(checkpointFiles.id, ids);
    keys.push(...(await markRawPendingDeletion(tx, some, 'deleted')));
    await query.update(checkpointFiles).set({ rawKey: null, rawStoredBytes: null }).where(some);
  }
  return keys;
}
