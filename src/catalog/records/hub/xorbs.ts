import { and, eq, getTableColumns, inArray, lt, sql } from 'drizzle-orm';
import type { XorbRecords } from '../../contract/hub/xorb-records.ts';
import type { Db } from '../../db/database.ts';
import { hubXorbs } from '../../db/schema.ts';
import { markPendingDeletion, refusePendingDeletion } from '../mark-pending-deletion.ts';

const { touchedAt: _touchedAt, ...columns } = getTableColumns(hubXorbs);

/** See `XorbRecords`. */
export function xorbRecords(db: Db): XorbRecords {
  const { query } = db;
  const among = (repositoryId: string, hashes: readonly string[]) =>
    and(eq(hubXorbs.repositoryId, repositoryId), inArray(hubXorbs.hash, [...hashes]));
  return {
    async find(repositoryId, hashes) {
      return hashes.length === 0 ? [] : query.select(columns).from(hubXorbs).where(among(repositoryId, hashes));
    },
    async add(xorb) {
      return db.transaction(async (tx) => {
        await refusePendingDeletion(tx, [xorb.key]);
        const [stored] = await tx.query
          .insert(hubXorbs)
          .values(xorb)
          .onConflictDoUpdate({ target: [hubXorbs.repositoryId, hubXorbs.hash], set: { touchedAt: sql`now()` } })
          .returning({ key: hubXorbs.key });
        return stored!.key === xorb.key;
      });
    },
    async touch(repositoryId, hashes) {
      if (hashes.length === 0) return;
      await query
        .update(hubXorbs)
        .set({ touchedAt: sql`now()` })
        .where(among(repositoryId, hashes));
    },
    async expire(before, limit) {
      return db.transaction(async (tx) => {
        const found = await tx.query
          .select({ key: hubXorbs.key })
          .from(hubXorbs)
          .where(lt(hubXorbs.touchedAt, before))
          .limit(limit)
          .for('update', { skipLocked: true });
        if (found.length === 0) return 0;
        const gone = await tx.query
          .delete(hubXorbs)
          .where(
            inArray(
              hubXorbs.key,
              found.map(({ key }) => key),
            ),
          )
          .returning({ key: hubXorbs.key, storedBytes: hubXorbs.storedBytes, repositoryId: hubXorbs.repositoryId });
        await markPendingDeletion(tx, gone, 'discarded');
        return gone.length;
      });
    },
  };
}
