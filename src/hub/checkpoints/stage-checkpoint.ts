import type { HubBlob } from '../../catalog/contract/hub/blob-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { RunLayout } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { FileRole } from '../../checkpoint/role.ts';
import { readLayouts } from '../../ingest/checkpoint/read-layouts.ts';
import { blobPrefix } from '../../ingest/ingest-context.ts';
import { checkSensitivity, joinLayouts } from '../../ingest/run/run-layout.ts';
import { CheckedBody } from '../../ingest/stage/checked-body.ts';
import { roleByName } from '../../ingest/stage/role-by-name.ts';
import { stageBody } from '../../ingest/stage/stage-body.ts';
import type { StagingTicket } from '../../ingest/stage/staging-budget.ts';
import type { HubContext } from '../hub-context.ts';
import { openBlob } from '../tree/open-blob.ts';
import type { PlannedCheckpoint } from './plan-checkpoints.ts';

/** A file of a checkpoint, and its uploaded object. */
export interface StagedFile {
  /** Relative to the checkpoint's folder, so that steps in folders of their own have the same paths. */
  readonly path: string;
  readonly role: FileRole;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly rawKey: string;
  readonly rawStoredBytes: number;
  /** Whether the object is the blob's own, which the checkpoint takes over; else a copy made for it. */
  readonly isOwn: boolean;
}

/** A checkpoint whose files are staged and whose headers were read. */
export interface StagedCheckpoint {
  readonly plan: PlannedCheckpoint;
  readonly files: readonly StagedFile[];
  readonly model: RunLayout;
  /** Room that the copies hold until they are recorded. */
  readonly tickets: readonly StagingTicket[];
}

/**
 * Makes ready what a commit's transaction needs to create a checkpoint. `known` if checkpoints have all of its files
 * already and keep them: a lossy checkpoint gives up its upload in time, so weights that only such an upload has become
 * another checkpoint, unless the branch of a lossy repository shows them at their paths anyway. Undefined if the files
 * are no checkpoint: their headers are not valid, or tensors occur twice. A file that an earlier checkpoint has is
 * copied, because each checkpoint owns its uploaded objects; the encoder finds the equal tensors again.
 */
export async function stageCheckpoint(
  ctx: HubContext,
  { id: repositoryId, hubSettings }: Repository,
  { plan, isShown }: { readonly plan: PlannedCheckpoint; readonly isShown: () => Promise<boolean> },
): Promise<StagedCheckpoint | 'known' | undefined> {
  const isLossy = hubSettings?.fidelity === 'lossy';
  const blobs = new Map(
    (
      await ctx.catalog.hub.blobs.find(
        repositoryId,
        plan.files.map(({ sha256 }) => sha256),
      )
    ).map((blob) => [blob.sha256, blob]),
  );
  if (![...blobs.values()].some(({ rawKey }) => rawKey !== undefined)) {
    if (!plan.files.every(({ sha256 }) => blobs.get(sha256)?.fileId !== undefined)) return undefined;
    if ((await areKept(ctx.catalog, [...blobs.values()])) || (isLossy && (await isShown()))) return 'known';
  }
  const tickets: StagingTicket[] = [];
  try {
    const files: StagedFile[] = [];
    for (const { path, sha256, sizeBytes } of plan.files) {
      const name = path.slice(plan.folder === '' ? 0 : plan.folder.length + 1);
      const role = roleByName(name);
      // The search alone reads gradients and drops them: it gets a copy, and an exact repository has no search.
      if (role === 'sensitivity' && !isLossy) continue;
      const blob = blobs.get(sha256);
      const file = { sha256, sizeBytes, tickets };
      const object =
        role === 'sensitivity' && blob !== undefined
          ? await copyOf(ctx, repositoryId, file)
          : await objectOf(ctx, repositoryId, blob, file);
      if (object === undefined) return undefined;
      // Two paths of the same bytes would both own the one object.
      const isTaken = files.some(({ rawKey }) => rawKey === object.rawKey);
      if (!isTaken) files.push({ path: name, role, sizeBytes, sha256, ...object });
    }
    const model = joinLayouts(await readLayouts(ctx, files, 'model'));
    checkSensitivity(model, joinLayouts(await readLayouts(ctx, files, 'sensitivity')));
    await readLayouts(ctx, files, 'optimizer');
    return { plan, files, model, tickets };
  } catch (error) {
    await Promise.all(tickets.map((ticket) => ticket.release()));
    // What is not valid safetensors stays a plain file of the commit, as on any hub.
    if (error instanceof FirnError && !serverCodes.has(error.code)) return undefined;
    throw error;
  }
}

/** Whether the files of checkpoints that have these bytes will always have them. */
async function areKept(
  { files, checkpoints, runs }: HubContext['catalog'],
  blobs: readonly HubBlob[],
): Promise<boolean> {
  for (const { fileId, sha256 } of blobs) {
    const file = await files.get(fileId!);
    if (file === undefined) return false;
    if (file.resultSha256 === sha256) continue;
    const checkpoint = await checkpoints.get(file.checkpointId);
    const run = checkpoint && (await runs.get(checkpoint.runId));
    if (run?.fidelity !== 'exact') return false;
  }
  return true;
}

/** Failures that a later try may not have. */
const serverCodes: ReadonlySet<string> = new Set([
  'internal',
  'unavailable',
  'overloaded',
  'storage-full',
  'corrupt-object',
  'corrupt-package',
]);

interface BlobToStage {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Takes the room of a copy. */
  readonly tickets: StagingTicket[];
}

type StagedObject = Pick<StagedFile, 'rawKey' | 'rawStoredBytes' | 'isOwn'>;

async function objectOf(
  ctx: HubContext,
  repositoryId: string,
  blob: HubBlob | undefined,
  file: BlobToStage,
): Promise<StagedObject | undefined> {
  if (blob?.rawKey !== undefined) return { rawKey: blob.rawKey, rawStoredBytes: blob.rawStoredBytes!, isOwn: true };
  return blob?.fileId === undefined ? undefined : copyOf(ctx, repositoryId, file);
}

async function copyOf(
  ctx: HubContext,
  repositoryId: string,
  { sha256, sizeBytes, tickets }: BlobToStage,
): Promise<StagedObject> {
  const opened = await openBlob(ctx, repositoryId, sha256);
  const ticket = await ctx.budget.admitBlob(ctx.catalog, repositoryId, sizeBytes);
  tickets.push(ticket);
  try {
    const body = new CheckedBody(
      { body: opened.stream(0, sizeBytes), sha256, lengthBytes: sizeBytes },
      { sizeMaxBytes: sizeBytes },
    );
    const copy = await stageBody(ctx, body, {
      prefix: `${blobPrefix}${repositoryId}/`,
      sizeMaxBytes: sizeBytes,
      ticket,
    });
    return { rawKey: copy.key, rawStoredBytes: copy.storedBytes, isOwn: false };
  } finally {
    await opened.close();
  }
}
