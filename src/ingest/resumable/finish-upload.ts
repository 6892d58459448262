import { FirnError, type FirnErrorCode } from '../../checkpoint/firn-error.ts';
import { pageLimitMax } from '../../catalog/db/page-limit.ts';
import type { UploadPiece, UploadRecord } from '../../catalog/contract/uploads/upload-records.ts';
import type { IngestContext } from '../ingest-context.ts';
import { receiveEvalSetPart } from '../eval-set/receive-eval-set-part.ts';
import { receiveFile } from '../checkpoint/receive-file.ts';
import { dropPieces } from './drop-pieces.ts';
import type { Upload } from '../stage/upload.ts';

/** How long a silent process locks an upload, in ms; after a crash its client waits this long. */
export const finishMs = 15_000;
/** Renewals in that time. */
const keepsPerTerm = 3;

/** These errors concern the moment, not the bytes: the upload can be finished later. */
const transientCodes: ReadonlySet<FirnErrorCode> = new Set([
  'overloaded',
  'unavailable',
  'storage-full',
  'cancelled',
  'upload-aborted',
  'upload-busy',
  'not-found',
  'internal',
  'native-failure',
]);

/**
 * Turns a complete upload, which `writer` has locked, into its target as if the bytes had come in one request, then
 * deletes the pieces. After a crash, sending the last bytes again repeats this. If the bytes are refused, the upload
 * ends, unless another request writes to it by now. Errors: those of `receiveFile` or `receiveEvalSetPart`,
 * `upload-busy`.
 */
export async function finishUpload(ctx: IngestContext, upload: UploadRecord, writer: string): Promise<UploadRecord> {
  const { uploads } = ctx.catalog;
  const { uploadTtlMs: ttlMs } = ctx.limits;
  const keeping = setInterval(
    () => void uploads.keepFinishing(upload, writer, { finishMs, ttlMs }).catch(() => undefined),
    finishMs / keepsPerTerm,
  ).unref();
  try {
    await deliver(ctx, upload);
    await dropPieces(ctx, await uploads.complete(upload, ttlMs));
  } catch (err) {
    if (err instanceof FirnError && !transientCodes.has(err.code)) await uploads.end(upload.id, writer);
    else await uploads.stopFinishing(upload, writer).catch(() => undefined);
    throw err;
  } finally {
    clearInterval(keeping);
  }
  return { ...upload, receivedBytes: upload.sizeBytes, isComplete: true };
}

async function deliver(ctx: IngestContext, upload: UploadRecord): Promise<void> {
  const { checkpointId, path, role, evalSetId, part, sizeBytes, sha256 } = upload;
  const whole: Upload = {
    body: bytesOf(ctx, upload),
    lengthBytes: sizeBytes,
    hasRoom: true,
    ...(sha256 !== undefined && { sha256 }),
  };
  if (checkpointId !== undefined)
    await receiveFile(ctx, checkpointId, { path: path!, ...(role !== undefined && { role }) }, whole);
  else await receiveEvalSetPart(ctx, { evalSetId: evalSetId!, part: part! }, whole);
}

/**
 * The bytes of all pieces, in order. `upload-busy` if pieces are missing: the lock expired, and the next writer has
 * deleted them.
 */
async function* bytesOf(
  { catalog, store }: IngestContext,
  { id, sizeBytes }: UploadRecord,
): AsyncGenerator<Uint8Array> {
  let atBytes = 0;
  for await (const piece of piecesOf(catalog, id)) {
    if (piece.offsetBytes !== atBytes) throw pieceMissing(id, atBytes);
    const reader = await store.open(piece.key);
    try {
      yield* reader.stream();
    } finally {
      await reader.close();
    }
    atBytes += piece.sizeBytes;
  }
  if (atBytes !== sizeBytes) throw pieceMissing(id, atBytes);
}

function pieceMissing(id: string, atBytes: number): FirnError {
  return new FirnError('upload-busy', 'Another request writes this upload.', {
    detail: `${id} has no piece at ${atBytes}`,
  });
}

async function* piecesOf({ uploads }: IngestContext['catalog'], id: string): AsyncGenerator<UploadPiece> {
  for (let after: string | undefined; ;) {
    const page = await uploads.pieces(id, { limit: pageLimitMax, ...(after !== undefined && { after }) });
    yield* page;
    if (page.length < pageLimitMax) return;
    after = String(page.at(-1)!.offsetBytes);
  }
}
