import { and, asc, eq, getTableColumns, inArray, lt, sql, type SQL } from 'drizzle-orm';
import type { PartRecords } from '../../contract/hub/part-records.ts';
import type { Db } from '../../db/database.ts';
import { hubParts } from '../../db/schema.ts';
import { markPendingDeletion, refusePendingDeletion } from '../mark-pending-deletion.ts';

const { touchedAt: _touchedAt, ...columns } = getTableColumns(hubParts);

/** See `PartRecords`. */
export function partRecords(db: Db): PartRecords {
  const { query } = db;
  return {
    async put(part) {
      await db.transaction(async (tx) => {
        await refusePendingDeletion(tx, [part.key]);
        await deleteParts(
          tx,
          and(ofFile(part.repositoryId, part.sha256), eq(hubParts.number, part.number))!,
          'replaced',
        );
        await tx.query.insert(hubParts).values(part);
      });
    },
    list: (repositoryId, sha256) =>
      query.select(columns).from(hubParts).where(ofFile(repositoryId, sha256)).orderBy(asc(hubParts.number)),
    async drop(repositoryId, sha256) {
      await db.transaction((tx) => deleteParts(tx, ofFile(repositoryId, sha256), 'discarded'));
    },
    async expire(before, limit) {
      return db.transaction(async (tx) => {
        const found = await tx.query
          .select({ key: hubParts.key })
          .from(hubParts)
          .where(lt(hubParts.touchedAt, before))
          .limit(limit)
          .for('update', { skipLocked: true });
        const keys = found.map(({ key }) => key);
        return keys.length === 0 ? 0 : deleteParts(tx, inArray(hubParts.key, keys), 'discarded');
      });
    },
  };
}

function ofFile(repositoryId: string, sha256: string): SQL {
  return sql`${hubParts.repositoryId} = ${repositoryId} and ${hubParts.sha256} = ${sha256}`;
}

async function deleteParts(tx: Db, which: SQL, reason: 'replaced' | 'discarded'): Promise<number> {
  const gone = await tx.query
    .delete(hubParts)
    .where(which)
    .returning({ key: hubParts.key, storedBytes: hubParts.storedBytes, repositoryId: hubParts.repositoryId });
  await markPendingDeletion(tx, gone, reason);
  return gone.length;
}
