import { createHash, type Hash } from 'node:crypto';
import type { UploadPiece, UploadRecord } from '../../catalog/contract/uploads/upload-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { piecePrefix, type IngestContext } from '../ingest-context.ts';
import { dropObjects, recordStaged } from '../stage/stage-body.ts';
import { checkHeader } from './check-header.ts';
import { CutBody } from './cut-body.ts';
import { dropPieces } from './drop-pieces.ts';
import { finishMs, finishUpload } from './finish-upload.ts';
import { checksummedBytesMax, pieceBytesMax, piecesPerUploadMax } from './piece-limits.ts';

export interface Checksum {
  readonly algorithm: 'sha1' | 'sha256';
  /** Lower-case hex digits. */
  readonly digest: string;
}

/** The next bytes of an upload, in one request. */
export interface NextBytes {
  readonly offsetBytes: number;
  readonly body: AsyncIterable<Uint8Array>;
  /** Absent if the client did not announce it. */
  readonly lengthBytes?: number;
  readonly checksum?: Checksum;
}

/**
 * Receives the next bytes of an upload, piece by piece. Each piece is acknowledged as soon as it is durable, so that a
 * broken request loses nothing that was acknowledged, and a killed process at most one piece. Bytes with a checksum are
 * one piece, stored only if it matches. The last piece is acknowledged when the target has the whole content. Of two
 * concurrent requests the later one wins: the earlier one can add nothing more. Errors: `conflict` (another offset; an
 * upload in parts), `upload-busy`, `length-mismatch` (more than announced), `checksum-mismatch`, `payload-too-large`
 * (too much under one checksum, too many pieces), `upload-aborted`, `body-too-slow`, the store's, and those of
 * `finishUpload`.
 */
export async function receiveBytes(ctx: IngestContext, upload: UploadRecord, bytes: NextBytes): Promise<UploadRecord> {
  checkNext(upload, bytes);
  const writer = ctx.newKeyPart();
  await dropPieces(ctx, await ctx.catalog.uploads.claim(upload, writer, bytes.offsetBytes));
  const body = new CutBody(bytes.body);
  try {
    return await receivePieces(ctx, upload, { writer, body, checksum: bytes.checksum });
  } finally {
    await body.close();
  }
}

/** The errors that need no byte of the body. */
function checkNext(
  { partBytes, sizeBytes }: UploadRecord,
  { offsetBytes, lengthBytes = 0, checksum }: NextBytes,
): void {
  if (partBytes !== undefined) throw new FirnError('conflict', 'The upload is one in parts; send them to its parts.');
  if (offsetBytes + lengthBytes > sizeBytes) throw longer(sizeBytes);
  if (checksum !== undefined && lengthBytes > checksummedBytesMax) throw tooMuchChecksummed();
}

interface Receiving {
  readonly writer: string;
  readonly body: CutBody;
  readonly checksum: Checksum | undefined;
}

async function receivePieces(ctx: IngestContext, begun: UploadRecord, receiving: Receiving): Promise<UploadRecord> {
  const { uploads } = ctx.catalog;
  const { writer, body } = receiving;
  let upload = begun;
  while (await body.hasMore()) {
    if (upload.receivedBytes === upload.sizeBytes) throw longer(upload.sizeBytes);
    if (upload.pieceCount >= piecesPerUploadMax)
      throw new FirnError(
        'payload-too-large',
        `The upload has come in ${piecesPerUploadMax} pieces, which is the most; send it again in larger ones.`,
      );
    const piece = await storePiece(ctx, upload, receiving);
    if (piece.offsetBytes + piece.sizeBytes < upload.sizeBytes) {
      upload = await recordStaged(ctx, piece, () => uploads.append(upload, writer, piece, ctx.limits.uploadTtlMs));
      continue;
    }
    await refuseSurplus(ctx, piece, upload, body);
    await recordStaged(ctx, piece, () => uploads.appendLast(upload, writer, piece, finishMs));
    return finishUpload(ctx, upload, writer);
  }
  body.throwFailure();
  if (upload === begun && receiving.checksum !== undefined)
    checkDigest(createHash(receiving.checksum.algorithm), receiving.checksum);
  return upload;
}

/** Stores the next piece. Nothing stays if its checksum is wrong, or if it cannot be the beginning of the file. */
async function storePiece(
  ctx: IngestContext,
  upload: UploadRecord,
  { writer, body, checksum }: Receiving,
): Promise<UploadPiece> {
  const { id, receivedBytes, sizeBytes: wholeBytes } = upload;
  const sizeMaxBytes = Math.min(
    checksum === undefined ? pieceBytesMax : checksummedBytesMax,
    wholeBytes - receivedBytes,
  );
  const next = checksum === undefined ? body.take(sizeMaxBytes) : checked(body, sizeMaxBytes, checksum);
  // Do not check the header of bytes whose checksum may yet fail.
  const content =
    receivedBytes === 0 && checksum === undefined ? checkHeader(ctx, upload, { writer, bytes: next }) : next;
  const { key, sizeBytes, storedBytes } = await ctx.store.put(`${piecePrefix}${id}/${ctx.newKeyPart()}`, content, {
    sizeMaxBytes,
  });
  return { offsetBytes: receivedBytes, sizeBytes, storedBytes, key };
}

async function* checked(body: CutBody, bytesMax: number, { algorithm, digest }: Checksum): AsyncGenerator<Uint8Array> {
  const hash = createHash(algorithm);
  for await (const bytes of body.take(bytesMax)) {
    hash.update(bytes);
    yield bytes;
  }
  if (await body.hasMore()) throw bytesMax < checksummedBytesMax ? longer() : tooMuchChecksummed();
  body.throwFailure();
  checkDigest(hash, { algorithm, digest });
}

function checkDigest(hash: Hash, { algorithm, digest }: Checksum): void {
  if (hash.digest('hex') !== digest)
    throw new FirnError('checksum-mismatch', `The bytes have another ${algorithm} than announced.`);
}

/**
 * Bytes after the announced end make the whole request invalid. A connection that breaks or slows down after the end
 * does not.
 */
async function refuseSurplus(
  ctx: IngestContext,
  { key }: UploadPiece,
  { sizeBytes }: UploadRecord,
  body: CutBody,
): Promise<void> {
  const surplus = await body.hasMore();
  const { failure } = body;
  if (!surplus && (failure === undefined || isOfConnection(failure))) return;
  await dropObjects(ctx, [key]);
  body.throwFailure();
  throw longer(sizeBytes);
}

function isOfConnection(failure: unknown): boolean {
  return failure instanceof FirnError && (failure.code === 'upload-aborted' || failure.code === 'body-too-slow');
}

function longer(sizeBytes?: number): FirnError {
  return new FirnError(
    'length-mismatch',
    sizeBytes === undefined
      ? 'There are more bytes than announced.'
      : `There are more than the ${sizeBytes} bytes announced.`,
  );
}

function tooMuchChecksummed(): FirnError {
  return new FirnError('payload-too-large', `At most ${checksummedBytesMax} bytes may come under one checksum.`);
}
