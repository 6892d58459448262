import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { EvalSet, EvalSetPart } from '../../catalog/contract/eval-set-records.ts';
import type { UploadRecord, UploadTarget } from '../../catalog/contract/uploads/upload-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { checkNewFilePath } from '../../checkpoint/names.ts';
import type { FileRole } from '../../checkpoint/role.ts';
import { CheckedBody, type BodyRules } from '../stage/checked-body.ts';
import type { IngestContext } from '../ingest-context.ts';
import { partRules } from '../eval-set/receive-eval-set-part.ts';
import { placeFile } from '../checkpoint/receive-file.ts';
import { fileRules } from '../stage/stage-file.ts';
import type { StagingTicket } from '../stage/staging-budget.ts';
import { stepExists, stepFailed } from '../checkpoint/step-exists.ts';
import { partBytesMax, partBytesMin, piecesPerUploadMax } from './piece-limits.ts';

/** The client's announcement of an upload. */
export interface AnnouncedUpload {
  readonly sizeBytes: number;
  /** 64 hex digits. */
  readonly sha256?: string;
  /** If given, parts of this size may come in any order. */
  readonly partBytes?: number;
  /** Stored for the client and returned to it. */
  readonly metadata?: string;
}

/**
 * Begins the upload of a file of an open checkpoint. Reserves room for all of it, so that an upload that has begun can
 * finish. Errors: those of `receiveFile` that need no bytes; `overloaded` also when too many uploads are open;
 * `conflict`, `step-exists` or `checkpoint-failed` (announced like the failed one) when the checkpoint takes no files.
 */
export async function createFileUpload(
  ctx: IngestContext,
  repositoryId: string,
  { checkpoint, ...file }: { readonly checkpoint: Checkpoint; readonly path: string; readonly role?: FileRole },
  announced: AnnouncedUpload,
): Promise<UploadRecord> {
  checkNewFilePath(file.path);
  if (checkpoint.revision !== undefined)
    throw await committedAlready(ctx, checkpoint, { path: file.path, ...announced });
  const rules = fileRules(ctx, await placeFile(ctx, checkpoint.id, file));
  const admit = (sizeBytes: number) => ctx.budget.admit(ctx.catalog, checkpoint, sizeBytes);
  return create(ctx, { repositoryId, admit, target: { checkpointId: checkpoint.id, ...file }, rules }, announced);
}

async function committedAlready(
  { catalog }: IngestContext,
  checkpoint: Checkpoint,
  announced: AnnouncedUpload & { readonly path: string },
): Promise<FirnError> {
  const file = checkpoint.state === 'failed' ? await catalog.files.find(checkpoint.id, announced.path) : undefined;
  const isSame =
    file?.sizeBytes === announced.sizeBytes && (announced.sha256?.toLowerCase() ?? file.sha256) === file.sha256;
  return isSame ? stepFailed(catalog, checkpoint) : stepExists(catalog, checkpoint);
}

/**
 * Begins the upload of the graph or the batches of an open eval set, which only the quota limits. Errors: as
 * `createFileUpload`.
 */
export async function createEvalSetUpload(
  ctx: IngestContext,
  { id, repositoryId }: EvalSet,
  part: EvalSetPart,
  announced: AnnouncedUpload,
): Promise<UploadRecord> {
  const admit = (sizeBytes: number) => ctx.budget.admitPart(ctx.catalog, id, sizeBytes);
  return create(ctx, { repositoryId, admit, target: { evalSetId: id, part }, rules: partRules(ctx, part) }, announced);
}

interface PlannedUpload {
  readonly repositoryId: string;
  /** Reserves room for all of it. */
  readonly admit: (sizeBytes: number) => Promise<StagingTicket>;
  readonly target: UploadTarget;
  readonly rules: BodyRules;
}

async function create(
  ctx: IngestContext,
  { repositoryId, admit, target, rules }: PlannedUpload,
  announced: AnnouncedUpload,
): Promise<UploadRecord> {
  const { catalog, limits } = ctx;
  const { sizeBytes, sha256, partBytes } = announced;
  checkAnnounced(announced, rules);
  if (partBytes !== undefined) checkPartBytes(partBytes, sizeBytes);
  const ticket = await admit(sizeBytes);
  try {
    const upload = {
      ...announced,
      ...target,
      repositoryId,
      ...(sha256 !== undefined && { sha256: sha256.toLowerCase() }),
    };
    return await catalog.uploads.create(upload, { openMax: limits.openUploadsMax, ttlMs: limits.uploadTtlMs });
  } finally {
    // From now on the upload's own row counts its size.
    await ticket.release();
  }
}

/** Refuses an upload that its announcement alone shows to be unacceptable. */
function checkAnnounced({ sizeBytes, sha256 }: AnnouncedUpload, rules: BodyRules): void {
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0)
    throw new FirnError('invalid-request', 'The size of an upload is a whole number of bytes.');
  new CheckedBody({ body: nothing(), lengthBytes: sizeBytes, ...(sha256 !== undefined && { sha256 }) }, rules);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function checkPartBytes(partBytes: number, sizeBytes: number): void {
  if (!Number.isSafeInteger(partBytes) || partBytes < partBytesMin || partBytes > partBytesMax)
    throw new FirnError('invalid-request', `A part has ${partBytesMin} to ${partBytesMax} bytes.`);
  if (Math.ceil(sizeBytes / partBytes) > piecesPerUploadMax)
    throw new FirnError('invalid-request', `An upload has at most ${piecesPerUploadMax} parts; choose larger ones.`);
}
