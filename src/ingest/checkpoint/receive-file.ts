import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { checkNewFilePath } from '../../checkpoint/names.ts';
import { pathClash, pathClashError } from '../../checkpoint/path-clash.ts';
import type { FileRole } from '../../checkpoint/role.ts';
import { CheckedBody } from '../stage/checked-body.ts';
import type { IngestContext } from '../ingest-context.ts';
import { roleOfFile } from '../stage/role-of-file.ts';
import { dropObjects, recordStaged, releaseRoom, type StagedBody } from '../stage/stage-body.ts';
import { stageFile, type FileToStage } from '../stage/stage-file.ts';
import { stepExists, stepFailed } from './step-exists.ts';
import type { Upload } from '../stage/upload.ts';

export interface ReceivedFile {
  readonly file: CheckpointFile;
  /** False if the same bytes were stored already. */
  readonly created: boolean;
}

/**
 * Receives one file of a checkpoint; it is durable when this resolves. While the checkpoint is open, other bytes for a
 * path replace the earlier ones. Once it is committed, equal bytes are recognized (read and hashed, not stored) and
 * others are refused. A refused or broken upload leaves nothing behind. Errors: `invalid-request`, `empty-body`,
 * `payload-too-large`, `length-mismatch`, `digest-mismatch`, `upload-aborted`, `overloaded` and `quota-exceeded`
 * (before the body is read, if its length is known), `storage-full`, `step-exists`, `checkpoint-failed` (the same bytes
 * for a step that failed, naming the retry call), `conflict` (the checkpoint was cancelled), `not-found`, and those of
 * the safetensors header.
 */
export async function receiveFile(
  ctx: IngestContext,
  checkpointId: string,
  { path, role: asked }: { path: string; role?: FileRole },
  upload: Upload,
): Promise<ReceivedFile> {
  checkNewFilePath(path);
  const checkpoint = await ctx.catalog.checkpoints.get(checkpointId);
  if (checkpoint === undefined) throw new FirnError('not-found', 'There is no such checkpoint.');
  if (checkpoint.state !== 'open') return compareWithCommitted(ctx, checkpoint, path, upload);
  const file = await placeFile(ctx, checkpoint.id, { path, ...(asked !== undefined && { role: asked }) });
  return stageFile(ctx, checkpoint, { file, upload }, (staged) =>
    record(ctx, checkpoint, { path, role: file.role }, staged),
  );
}

/**
 * Role and record of a file that is about to arrive in an open checkpoint. Errors: `invalid-request`,
 * `payload-too-large` (too many files).
 */
export async function placeFile(
  ctx: IngestContext,
  checkpointId: string,
  { path, role: asked }: { path: string; role?: FileRole },
): Promise<FileToStage> {
  const known = await ctx.catalog.files.find(checkpointId, path);
  if (known === undefined) await checkNewFile(ctx, checkpointId, path);
  // An announced role is binding; the role of an earlier body may be replaced with it.
  const role = known?.received === true ? roleOfFile(path, asked ?? known.role) : roleOfFile(path, asked, known?.role);
  return { path, role, known };
}

/**
 * Refuses a clash of paths early. The catalog checks again when the file is recorded, because another file may arrive
 * meanwhile.
 */
async function checkNewFile({ catalog, limits }: IngestContext, checkpointId: string, path: string): Promise<void> {
  const paths = (await catalog.files.list(checkpointId)).map((file) => file.path);
  if (paths.length >= limits.filesPerCheckpointMax)
    throw new FirnError('payload-too-large', `A checkpoint may have at most ${limits.filesPerCheckpointMax} files.`);
  const clash = pathClash([...paths, path]);
  if (clash !== undefined) throw pathClashError(clash);
}

async function record(
  ctx: IngestContext,
  checkpoint: Checkpoint,
  file: { path: string; role: FileRole },
  staged: StagedBody,
): Promise<ReceivedFile> {
  const { catalog } = ctx;
  const before = await catalog.files.find(checkpoint.id, file.path);
  if (before?.received === true && before.sha256 === staged.sha256 && before.role === file.role) {
    await dropObjects(ctx, [staged.key]);
    return { file: before, created: false };
  }
  const { sizeBytes, sha256, gitSha1, key: rawKey, storedBytes: rawStoredBytes } = staged;
  try {
    await recordStaged(ctx, staged, () =>
      catalog.transaction(async (tx) => {
        await tx.files.receive(checkpoint.id, {
          ...file,
          sizeBytes,
          sha256,
          rawKey,
          rawStoredBytes,
          ...(gitSha1 !== undefined && { gitSha1 }),
        });
        await releaseRoom(tx, staged);
      }),
    );
  } catch (err) {
    if (err instanceof FirnError && err.code === 'conflict')
      return committedMeanwhile(ctx, checkpoint.id, file.path, sha256);
    throw err;
  }
  const received = await catalog.files.find(checkpoint.id, file.path);
  if (received === undefined) throw new FirnError('conflict', 'The checkpoint was given up while the file arrived.');
  return { file: received, created: true };
}

/** Another upload committed the step first; it may have brought the same bytes. */
async function committedMeanwhile(
  { catalog }: IngestContext,
  checkpointId: string,
  path: string,
  sha256: string,
): Promise<ReceivedFile> {
  const checkpoint = await catalog.checkpoints.get(checkpointId);
  if (checkpoint?.revision === undefined)
    throw new FirnError('conflict', 'The checkpoint was given up while the file arrived.');
  const file = await catalog.files.find(checkpointId, path);
  if (file?.sha256 !== sha256) throw await stepExists(catalog, checkpoint);
  if (checkpoint.state === 'failed') throw await stepFailed(catalog, checkpoint);
  return { file, created: false };
}

/** The same bytes are accepted again; a committed checkpoint never changes. */
async function compareWithCommitted(
  ctx: IngestContext,
  checkpoint: Checkpoint,
  path: string,
  upload: Upload,
): Promise<ReceivedFile> {
  if (checkpoint.revision === undefined)
    throw new FirnError(
      'conflict',
      `The checkpoint is ${checkpoint.state} and takes no files; delete it to upload the step again.`,
    );
  const file = await ctx.catalog.files.find(checkpoint.id, path);
  if (file === undefined || !(await hasSameBytes(ctx, file, upload))) throw await stepExists(ctx.catalog, checkpoint);
  if (checkpoint.state === 'failed') throw await stepFailed(ctx.catalog, checkpoint);
  return { file, created: false };
}

/** Reads an upload without storing it. */
async function hasSameBytes({ limits }: IngestContext, file: CheckpointFile, upload: Upload): Promise<boolean> {
  const body = new CheckedBody(upload, { sizeMaxBytes: limits.fileBytesMax, mayBeEmpty: true });
  if (body.lengthBytes !== undefined && body.lengthBytes !== file.sizeBytes) return false;
  for await (const _ of body.pieces()) {
    // Only the digest is needed.
  }
  return body.facts().sha256 === file.sha256;
}
