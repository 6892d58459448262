import {
  and,
  asc,
  count,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNull,
  lte,
  not,
  or,
  sql,
  type SQL,
} from 'drizzle-orm';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { markPendingDeletion, refusePendingDeletion } from '../mark-pending-deletion.ts';
import type { Db } from '../../db/database.ts';
import { dropNulls } from '../../db/drop-nulls.ts';
import { touchOpen } from '../files/files.ts';
import type { DeletionReason } from '../../contract/storage/garbage-records.ts';
import { msFromNow } from '../../jobs/job-rows.ts';
import { pageLimit } from '../../db/page-limit.ts';
import { checkpoints, evalSets, uploadPieces as pieces, uploads } from '../../db/schema.ts';
import type { UploadPiece, UploadRecord, UploadRecords } from '../../contract/uploads/upload-records.ts';

const { writer: _writer, finishingUntil: _finishingUntil, ...columns } = getTableColumns(uploads);
const { uploadId: _uploadId, ...pieceColumns } = getTableColumns(pieces);

const unfinishing = or(isNull(uploads.finishingUntil), lte(uploads.finishingUntil, sql`now()`))!;
const expired = and(lte(uploads.expiresAt, sql`now()`), unfinishing)!;

type Named = Pick<UploadRecord, 'id' | 'checkpointId'>;

/** See `UploadRecords`. */
export function uploadRecords(db: Db): UploadRecords {
  const { query } = db;
  return {
    create: (upload, { openMax, ttlMs }) =>
      db.transaction(async (tx) => {
        const ofTarget = await holdTarget(tx, upload);
        const [open] = await tx.query
          .select({ count: count() })
          .from(uploads)
          .where(and(ofTarget, eq(uploads.isComplete, false)));
        if (open!.count >= openMax)
          throw new FirnError(
            'overloaded',
            `At most ${openMax} uploads may be open here at once; end some, or wait until they expire.`,
          );
        const [created] = await tx.query
          .insert(uploads)
          .values({ ...upload, expiresAt: msFromNow(ttlMs) })
          .returning(columns);
        return dropNulls(created!);
      }),
    async find(repositoryId, id) {
      const [found] = await query
        .select(columns)
        .from(uploads)
        .where(and(eq(uploads.repositoryId, repositoryId), eq(uploads.id, id), not(expired)));
      return found && dropNulls(found);
    },
    claim: (upload, writer, offsetBytes) =>
      db.transaction(async (tx) => {
        const { receivedBytes, isComplete, isFinishing } = await hold(tx, upload);
        if (isComplete || receivedBytes !== offsetBytes)
          throw new FirnError('conflict', `The upload is at offset ${receivedBytes}.`);
        if (isFinishing) throw finishing();
        await tx.query.update(uploads).set({ writer }).where(eq(uploads.id, upload.id));
        return forget(tx, and(eq(pieces.uploadId, upload.id), gte(pieces.offsetBytes, receivedBytes))!, 'replaced');
      }),
    append: (upload, writer, piece, ttlMs) =>
      db.transaction(async (tx) => {
        await holdAsWriter(tx, upload, writer);
        await insertPiece(tx, upload, piece);
        return grow(tx, upload, piece.sizeBytes, ttlMs);
      }),
    appendLast: (upload, writer, piece, finishMs) =>
      db.transaction(async (tx) => {
        await holdAsWriter(tx, upload, writer);
        await insertPiece(tx, upload, piece);
        await tx.query
          .update(uploads)
          .set({ finishingUntil: msFromNow(finishMs) })
          .where(eq(uploads.id, upload.id));
      }),
    putPart: (upload, piece, ttlMs) =>
      db.transaction(async (tx) => {
        const { isComplete, isFinishing } = await hold(tx, upload);
        if (isComplete) throw complete();
        if (isFinishing) throw finishing();
        const [before] = await forget(
          tx,
          and(eq(pieces.uploadId, upload.id), eq(pieces.offsetBytes, piece.offsetBytes))!,
          'replaced',
        );
        await insertPiece(tx, upload, piece);
        await grow(tx, upload, before === undefined ? piece.sizeBytes : 0, ttlMs);
        return before;
      }),
    beginFinishing: (upload, writer, finishMs) =>
      db.transaction(async (tx) => {
        const { sizeBytes, receivedBytes, isComplete, isFinishing } = await hold(tx, upload);
        if (isComplete) throw complete();
        if (isFinishing) throw finishing();
        if (receivedBytes < sizeBytes)
          throw new FirnError(
            'upload-incomplete',
            `${sizeBytes - receivedBytes} of ${sizeBytes} bytes have not arrived.`,
          );
        await tx.query
          .update(uploads)
          .set({ writer, finishingUntil: msFromNow(finishMs) })
          .where(eq(uploads.id, upload.id));
      }),
    keepFinishing: (upload, writer, { finishMs, ttlMs }) =>
      db.transaction(async (tx) => {
        await holdAsWriter(tx, upload, writer);
        await tx.query
          .update(uploads)
          .set({ finishingUntil: msFromNow(finishMs), expiresAt: msFromNow(ttlMs) })
          .where(eq(uploads.id, upload.id));
      }),
    async stopFinishing({ id }, writer) {
      await query
        .update(uploads)
        .set({ finishingUntil: null })
        .where(and(eq(uploads.id, id), eq(uploads.writer, writer)));
    },
    complete: (upload, ttlMs) =>
      db.transaction(async (tx) => {
        await hold(tx, upload);
        await tx.query
          .update(uploads)
          .set({
            isComplete: true,
            receivedBytes: uploads.sizeBytes,
            writer: null,
            finishingUntil: null,
            expiresAt: msFromNow(ttlMs),
          })
          .where(eq(uploads.id, upload.id));
        return forget(tx, eq(pieces.uploadId, upload.id), 'replaced');
      }),
    async pieces(id, page) {
      const later = page.after === undefined ? undefined : gt(pieces.offsetBytes, offsetOf(page.after));
      const found = await query
        .select(pieceColumns)
        .from(pieces)
        .where(and(eq(pieces.uploadId, id), later))
        .orderBy(asc(pieces.offsetBytes))
        .limit(pageLimit(page));
      return found.map((row): UploadPiece => dropNulls(row));
    },
    end: async (id, writer) =>
      (await endUploads(db, and(eq(uploads.id, id), writer === undefined ? undefined : eq(uploads.writer, writer))!))
        .keys,
    endOf: async (checkpointId) => (await endUploads(db, eq(uploads.checkpointId, checkpointId))).keys,
    endExpired: (limit) => {
      const some = query
        .select({ id: uploads.id })
        .from(uploads)
        .where(expired)
        .limit(pageLimit({ limit }))
        .for('update', { skipLocked: true });
      return endUploads(db, inArray(uploads.id, some));
    },
  };
}

/** Deletes uploads with their pieces; returns their number and the keys. */
export function endUploads(db: Db, which: SQL): Promise<{ count: number; keys: string[] }> {
  return db.transaction(async (tx) => {
    const ids = (await tx.query.select({ id: uploads.id }).from(uploads).where(which).for('update')).map(
      ({ id }) => id,
    );
    if (ids.length === 0) return { count: 0, keys: [] };
    const keys = await forget(tx, inArray(pieces.uploadId, ids), 'discarded');
    await tx.query.delete(uploads).where(inArray(uploads.id, ids));
    return { count: ids.length, keys };
  });
}

async function insertPiece(tx: Db, { id: uploadId }: Named, piece: UploadPiece): Promise<void> {
  await refusePendingDeletion(tx, [piece.key]);
  await tx.query.insert(pieces).values({ ...piece, uploadId });
}

/** Marks pieces for deletion and deletes their rows; returns the keys. */
async function forget(tx: Db, which: SQL, reason: DeletionReason): Promise<string[]> {
  const { key, storedBytes } = pieces;
  const known = await tx.query
    .select({ key, storedBytes, repositoryId: uploads.repositoryId })
    .from(pieces)
    .innerJoin(uploads, eq(uploads.id, pieces.uploadId))
    .where(which);
  await tx.query.delete(pieces).where(which);
  return markPendingDeletion(tx, known, reason);
}

/**
 * Locks the target of a new upload until the transaction ends; returns the condition that matches the uploads for it.
 */
async function holdTarget(tx: Db, { checkpointId, evalSetId }: Parameters<UploadRecords['create']>[0]): Promise<SQL> {
  if (checkpointId !== undefined) {
    await touchOpen(tx, checkpointId);
    return eq(uploads.checkpointId, checkpointId);
  }
  const [evalSet] = await tx.query
    .select({ state: evalSets.state })
    .from(evalSets)
    .where(eq(evalSets.id, evalSetId!))
    .for('update');
  if (evalSet === undefined) throw new FirnError('not-found', 'There is no such eval set.');
  if (evalSet.state !== 'open') throw new FirnError('conflict', 'The eval set is closed; its parts cannot change.');
  return eq(uploads.evalSetId, evalSetId!);
}

interface HeldUpload extends Pick<UploadRecord, 'sizeBytes' | 'receivedBytes' | 'isComplete'> {
  readonly writer: string | null;
  readonly isFinishing: boolean;
}

/**
 * Locks an upload until the transaction ends. Locks its checkpoint first, in the same order as discarding a checkpoint
 * does, and records a sign of life of it.
 */
async function hold(tx: Db, { id, checkpointId }: Named): Promise<HeldUpload> {
  if (checkpointId !== undefined)
    await tx.query
      .update(checkpoints)
      .set({ touchedAt: sql`now()` })
      .where(and(eq(checkpoints.id, checkpointId), eq(checkpoints.state, 'open')));
  const { sizeBytes, receivedBytes, isComplete, writer } = uploads;
  const [held] = await tx.query
    .select({ sizeBytes, receivedBytes, isComplete, writer, isFinishing: sql<boolean>`not (${unfinishing})` })
    .from(uploads)
    .where(and(eq(uploads.id, id), not(expired)))
    .for('update');
  if (held === undefined) throw new FirnError('not-found', 'There is no such upload.');
  return held;
}

async function holdAsWriter(tx: Db, upload: Named, writer: string): Promise<void> {
  const held = await hold(tx, upload);
  if (held.writer !== writer) throw new FirnError('upload-busy', 'Another request writes this upload.');
}

async function grow(tx: Db, { id }: Named, bytes: number, ttlMs: number): Promise<UploadRecord> {
  const [grown] = await tx.query
    .update(uploads)
    .set({
      receivedBytes: sql`${uploads.receivedBytes} + ${bytes}::bigint`,
      pieceCount: sql`${uploads.pieceCount} + ${bytes === 0 ? 0 : 1}::integer`,
      expiresAt: msFromNow(ttlMs),
    })
    .where(eq(uploads.id, id))
    .returning(columns);
  return dropNulls(grown!);
}

function offsetOf(token: string): number {
  // A number beyond the column's range would fail in the database.
  if (!/^\d{1,15}$/.test(token)) throw new FirnError('invalid-request', 'The page token is not an offset.');
  return Number(token);
}

function complete(): FirnError {
  return new FirnError('conflict', 'The upload is complete.');
}

function finishing(): FirnError {
  return new FirnError('upload-busy', 'The upload is being put together; look again in a moment.');
}
