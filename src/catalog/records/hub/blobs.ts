import { and, eq, getTableColumns, inArray, isNotNull, lt, or, sql } from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import type { BlobRecords } from '../../contract/hub/blob-records.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { hubBlobs, pendingDeletions } from '../../db/schema.ts';
import { markPendingDeletion, refusePendingDeletion } from '../mark-pending-deletion.ts';

const { touchedAt: _touchedAt, ...columns } = getTableColumns(hubBlobs);
/** Digests in one statement, far below the protocol's 65535 parameters. */
const pageDigests = 1000;

/** See `BlobRecords`. */
export function blobRecords(db: Db): BlobRecords {
  const { query } = db;
  const among = (repositoryId: string, digests: readonly string[]) =>
    and(eq(hubBlobs.repositoryId, repositoryId), inArray(hubBlobs.sha256, [...digests]));
  return {
    async find(repositoryId, digests) {
      if (digests.length === 0) return [];
      const found = await query
        .select({ ...columns, readableKey: pendingDeletions.key })
        .from(hubBlobs)
        .leftJoin(pendingDeletions, eq(pendingDeletions.key, hubBlobs.releasedKey))
        .where(among(repositoryId, digests));
      return found.map(dropNulls);
    },
    async add(blob) {
      return { created: (await addAll(db, [blob])).has(blob.rawKey) };
    },
    addAll: (blobs) => addAll(db, blobs),
    async addFile(blob) {
      await query
        .insert(hubBlobs)
        .values({ ...blob, isCommitted: true })
        .onConflictDoUpdate({
          target: [hubBlobs.repositoryId, hubBlobs.sha256],
          set: {
            isCommitted: true,
            fileId: sql`case when ${hubBlobs.rawKey} is null then coalesce(${hubBlobs.fileId}, ${blob.fileId}) end`,
          },
        });
    },
    async touch(repositoryId, digests) {
      if (digests.length === 0) return;
      await query
        .update(hubBlobs)
        .set({ touchedAt: sql`now()` })
        .where(among(repositoryId, digests));
    },
    async commit(repositoryId, digests) {
      const distinct = [...new Set(digests)];
      for (let start = 0; start < distinct.length; start += pageDigests) {
        const page = distinct.slice(start, start + pageDigests);
        const marked = await query
          .update(hubBlobs)
          .set({ isCommitted: true, touchedAt: sql`now()` })
          .where(and(among(repositoryId, page), or(isNotNull(hubBlobs.rawKey), isNotNull(hubBlobs.fileId))))
          .returning({ sha256: hubBlobs.sha256 });
        if (marked.length < page.length)
          throw new FirnError('conflict', 'A file of the commit was not uploaded, or has expired; upload it again.');
      }
    },
    async giveToFile(repositoryId, sha256, fileId) {
      const [given] = await query
        .update(hubBlobs)
        .set({ rawKey: null, rawStoredBytes: null, fileId })
        .where(among(repositoryId, [sha256]))
        .returning({ sha256: hubBlobs.sha256 });
      if (given === undefined) throw new FirnError('conflict', 'The file was given up meanwhile; upload it again.');
    },
    async release(repositoryId, kept) {
      const keptOnes =
        kept.length === 0 ? sql`` : sql`and ${hubBlobs.sha256} <> all(string_to_array(${kept.join(',')}, ','))`;
      await db.rows(sql`
        update ${hubBlobs} set is_committed = false, touched_at = now()
        where ${hubBlobs.repositoryId} = ${repositoryId} and ${hubBlobs.isCommitted} ${keptOnes}`);
    },
    async expire(before, limit) {
      return db.transaction(async (tx) => {
        const found = await tx.query
          .select({ repositoryId: hubBlobs.repositoryId, sha256: hubBlobs.sha256 })
          .from(hubBlobs)
          .where(and(eq(hubBlobs.isCommitted, false), lt(hubBlobs.touchedAt, before)))
          .limit(limit)
          .for('update', { skipLocked: true });
        if (found.length === 0) return 0;
        const pairs = sql.join(
          found.map(({ repositoryId, sha256 }) => sql`(${repositoryId}, ${sha256})`),
          sql`, `,
        );
        const gone = await tx.query
          .delete(hubBlobs)
          .where(sql`(${hubBlobs.repositoryId}, ${hubBlobs.sha256}) in (${pairs})`)
          .returning({
            key: hubBlobs.rawKey,
            storedBytes: hubBlobs.rawStoredBytes,
            repositoryId: hubBlobs.repositoryId,
          });
        await markPendingDeletion(tx, gone, 'discarded');
        return gone.length;
      });
    },
  };
}

async function addAll(db: Db, blobs: Parameters<BlobRecords['addAll']>[0]): Promise<ReadonlySet<string>> {
  if (blobs.length === 0) return new Set();
  return db.transaction(async (tx) => {
    await refusePendingDeletion(
      tx,
      blobs.map(({ rawKey }) => rawKey),
    );
    const hasNoBytes = sql`${hubBlobs.rawKey} is null and ${hubBlobs.fileId} is null`;
    // Bytes that a blob has already stay: readers may be reading them.
    const stored = await tx.query
      .insert(hubBlobs)
      .values([...blobs])
      .onConflictDoUpdate({
        target: [hubBlobs.repositoryId, hubBlobs.sha256],
        set: {
          touchedAt: sql`now()`,
          sizeBytes: sql`excluded.size_bytes`,
          rawKey: sql`case when ${hasNoBytes} then excluded.raw_key else ${hubBlobs.rawKey} end`,
          rawStoredBytes: sql`
            case when ${hasNoBytes} then excluded.raw_stored_bytes else ${hubBlobs.rawStoredBytes} end`,
          releasedKey: sql`case when ${hasNoBytes} then null else ${hubBlobs.releasedKey} end`,
        },
      })
      .returning({ rawKey: hubBlobs.rawKey });
    return new Set(stored.flatMap(({ rawKey }) => (rawKey === null ? [] : [rawKey])));
  });
}
