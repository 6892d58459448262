import type { UploadPiece, UploadRecord } from '../../catalog/contract/uploads/upload-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { CheckedBody } from '../stage/checked-body.ts';
import { piecePrefix, type IngestContext } from '../ingest-context.ts';
import { recordStaged, stageBody } from '../stage/stage-body.ts';
import type { Upload } from '../stage/upload.ts';
import { dropPieces } from './drop-pieces.ts';
import { finishMs, finishUpload } from './finish-upload.ts';

/** Number of parts of an upload; they are numbered from 1. */
export function partCount({ sizeBytes, partBytes }: Pick<UploadRecord, 'sizeBytes' | 'partBytes'>): number {
  return partBytes === undefined ? 0 : Math.ceil(sizeBytes / partBytes);
}

/**
 * Receives one part, whole or not at all; it is durable when this resolves. Sending it again replaces the earlier one.
 * Errors: `conflict` (complete, or an upload without parts), `invalid-request` (no such part), `upload-busy`, and those
 * of a body.
 */
export async function receivePart(
  ctx: IngestContext,
  upload: UploadRecord,
  number: number,
  part: Upload,
): Promise<UploadPiece> {
  const { offsetBytes, sizeBytes } = placeOfPart(upload, number);
  const body = new CheckedBody(part, { sizeMaxBytes: sizeBytes, announced: { sizeBytes } });
  const { key, sha256, storedBytes } = await stageBody(ctx, body, {
    prefix: `${piecePrefix}${upload.id}/`,
    sizeMaxBytes: sizeBytes,
  });
  const piece = { offsetBytes, sizeBytes, storedBytes, key, sha256 };
  const replaced = await recordStaged(ctx, piece, () =>
    ctx.catalog.uploads.putPart(upload, piece, ctx.limits.uploadTtlMs),
  );
  await dropPieces(ctx, [replaced]);
  return piece;
}

/**
 * Completes an upload that has all its parts, or is empty; repeating it is no error. Errors: `upload-incomplete`,
 * `upload-busy`, `conflict`, and those of `finishUpload`.
 */
export async function completeUpload(ctx: IngestContext, upload: UploadRecord): Promise<UploadRecord> {
  if (upload.isComplete) return upload;
  if (upload.partBytes === undefined && upload.sizeBytes > 0) throw withoutParts();
  const writer = ctx.newKeyPart();
  await ctx.catalog.uploads.beginFinishing(upload, writer, finishMs);
  return finishUpload(ctx, upload, writer);
}

function placeOfPart(upload: UploadRecord, number: number): Pick<UploadPiece, 'offsetBytes' | 'sizeBytes'> {
  const { sizeBytes, partBytes } = upload;
  if (partBytes === undefined) throw withoutParts();
  if (number < 1 || number > partCount(upload))
    throw new FirnError('invalid-request', `The upload has the parts 1 to ${partCount(upload)}.`);
  const offsetBytes = (number - 1) * partBytes;
  return { offsetBytes, sizeBytes: Math.min(partBytes, sizeBytes - offsetBytes) };
}

function withoutParts(): FirnError {
  return new FirnError(
    'conflict',
    'The upload is one without parts; its bytes come one after the other, and the last completes it.',
  );
}
