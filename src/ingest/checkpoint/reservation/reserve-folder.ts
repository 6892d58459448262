import { createHash } from 'node:crypto';
import type { Checkpoint } from '../../../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../../../catalog/contract/file-records.ts';
import type { Run } from '../../../catalog/contract/run-records.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { quoteName } from '../../../checkpoint/words/quote-name.ts';
import { commitCheckpoint } from '../commit-checkpoint.ts';
import type { IngestContext } from '../../ingest-context.ts';
import { receiveFile } from '../receive-file.ts';
import { reserveCheckpoint, type AnnouncedFile, type Reservation } from './reserve-checkpoint.ts';

/** A file of a folder; small ones may bring their bytes along. */
export interface FolderFile extends AnnouncedFile {
  readonly content?: Uint8Array;
}

export interface Folder extends Omit<Reservation, 'files'> {
  readonly files: readonly FolderFile[];
  /** Commits the checkpoint at once; every file then has its bytes here or has arrived before. */
  readonly commit?: boolean;
}

export interface ReservedFolder {
  readonly checkpoint: Checkpoint;
  /** All files, those that have arrived and those that are still to be sent. */
  readonly files: readonly CheckpointFile[];
  /** Whether this call committed it; false if it did not, or if an earlier one has. */
  readonly committed: boolean;
}

/**
 * Reserves a checkpoint with the list of its files, stores those that bring their bytes along, and commits it if that
 * was asked. If a file or the commit is refused, the reservation stays open. Repeated after a commit of the very same
 * files, it returns the committed checkpoint. Errors: those of `reserveCheckpoint`, `receiveFile` and
 * `commitCheckpoint`.
 */
export async function reserveFolder(
  ctx: IngestContext,
  run: Run,
  { files, commit = false, ...reservation }: Folder,
  signal?: AbortSignal,
): Promise<ReservedFolder> {
  const announced = files.map(announcementOf);
  const checkpoint = await reserved(ctx, run, { ...reservation, files: announced }, commit);
  // One that was committed before takes the same bytes again, and refuses others.
  for (const { path, role, content } of files) {
    if (content === undefined) continue;
    const upload = { body: once(content), lengthBytes: content.byteLength, ...(signal && { signal }) };
    await receiveFile(ctx, checkpoint.id, { path, ...(role !== undefined && { role }) }, upload);
  }
  const done = commit
    ? await commitCheckpoint(ctx, run, checkpoint.id, { signal })
    : { checkpoint: (await ctx.catalog.checkpoints.get(checkpoint.id)) ?? checkpoint, created: false };
  return {
    checkpoint: done.checkpoint,
    files: await ctx.catalog.files.list(checkpoint.id),
    committed: done.created,
  };
}

/** The reservation; with `commit`, also a checkpoint that was committed with just these files. */
async function reserved(ctx: IngestContext, run: Run, reservation: Reservation, commit: boolean): Promise<Checkpoint> {
  try {
    return await reserveCheckpoint(ctx, run, reservation);
  } catch (error) {
    if (!commit || !(error instanceof FirnError) || error.code !== 'step-exists') throw error;
    const existing = await ctx.catalog.checkpoints.find(run.id, reservation.step);
    if (existing?.revision === undefined) throw error;
    const there = new Map((await ctx.catalog.files.list(existing.id)).map((file) => [file.path, file]));
    const isTheSame =
      there.size === reservation.files.length &&
      reservation.files.every(({ path, sha256 }) => sha256 !== undefined && there.get(path)?.sha256 === sha256);
    if (!isTheSame) throw error;
    return existing;
  }
}

/** `length-mismatch` or `digest-mismatch` if a file's bytes are not those that are announced with them. */
function announcementOf({ content, ...file }: FolderFile): AnnouncedFile {
  if (content === undefined) return file;
  if (file.sizeBytes !== undefined && file.sizeBytes !== content.byteLength)
    throw new FirnError('length-mismatch', `${quoteName(file.path)} was announced with another size.`);
  const sha256 = createHash('sha256').update(content).digest('hex');
  if (file.sha256 !== undefined && file.sha256.toLowerCase() !== sha256)
    throw new FirnError('digest-mismatch', `${quoteName(file.path)} was announced with another sha256.`);
  return { ...file, sizeBytes: content.byteLength, sha256 };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes;
}
