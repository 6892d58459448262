import { inArray, isNotNull, sql, and, type SQL } from 'drizzle-orm';
import type { Db } from './database.ts';
import { checkpointFiles, checkpoints } from './schema.ts';

export interface HiddenCheckpoints {
  readonly ids: readonly string[];
  /** Of raw objects that no row refers to any more. */
  readonly rawKeys: string[];
}

/** Hides the checkpoints that `which` names and forgets their raw objects: what builds on them reads their packages only. */
export async function hideCheckpoints(db: Db, which: SQL): Promise<HiddenCheckpoints> {
  return db.transaction(async ({ query }) => {
    const hidden = await query
      .update(checkpoints)
      .set({ deletedAt: sql`coalesce(${checkpoints.deletedAt}, now())` })
      .where(which)
      .returning({ id: checkpoints.id });
    const files = and(
      inArray(checkpointFiles.checkpointId, query.select({ id: checkpoints.id }).from(checkpoints).where(which)),
      isNotNull(checkpointFiles.rawKey),
    );
    const held = await query.select({ key: checkpointFiles.rawKey }).from(checkpointFiles).where(files);
    await query.update(checkpointFiles).set({ rawKey: null, rawStoredBytes: null }).where(files);
    return { ids: hidden.map(({ id }) => id), rawKeys: held.map(({ key }) => key!) };
  });
}
