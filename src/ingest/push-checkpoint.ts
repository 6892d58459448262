import type { Checkpoint, Run } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { commitCheckpoint, type CommittedCheckpoint } from './commit-checkpoint.ts';
import { discardReservation } from './discard-reservation.ts';
import type { IngestContext } from './ingest-context.ts';
import { receiveFile } from './receive-file.ts';
import { reserveCheckpoint } from './reserve-checkpoint.ts';
import { stepExists } from './step-exists.ts';
import type { Upload } from './upload.ts';

/** The file of a checkpoint that is pushed in one request. */
export const pushedPath = 'model.safetensors';

/**
 * Reserves a step, takes its one file and commits it. Refused, it leaves nothing behind, its reservation included; one that a crash left is taken over.
 * A step committed with these very bytes is returned with `created` false, one with others is `step-exists`.
 * Errors: those of the three verbs.
 */
export async function pushCheckpoint(ctx: IngestContext, run: Run, step: number, upload: Upload): Promise<CommittedCheckpoint> {
  const { checkpoint, committed } = await reserveOrFind(ctx, run, step);
  if (committed) return pushAgain(ctx, checkpoint, upload);
  try {
    await receiveFile(ctx, checkpoint.id, { path: pushedPath, role: 'model' }, upload);
    return await commitCheckpoint(ctx, run, checkpoint.id);
  } catch (err) {
    // Another push of the step may have committed it, then nothing is discarded, or may still be arriving and settles it.
    if (!ctx.budget.isArriving(checkpoint.id)) await discardReservation(ctx, checkpoint.id).catch(() => undefined);
    throw err;
  }
}

async function reserveOrFind(ctx: IngestContext, run: Run, step: number): Promise<{ checkpoint: Checkpoint; committed: boolean }> {
  try {
    return { checkpoint: await reserveCheckpoint(ctx, run, { step, files: [{ path: pushedPath, role: 'model' }] }), committed: false };
  } catch (err) {
    if (!(err instanceof FirnError) || err.code !== 'step-exists') throw err;
    const existing = await ctx.catalog.checkpoints.find(run.id, step);
    if (existing === undefined || existing.state === 'open') throw err;
    return { checkpoint: existing, committed: true };
  }
}

async function pushAgain(ctx: IngestContext, checkpoint: Checkpoint, upload: Upload): Promise<CommittedCheckpoint> {
  const files = await ctx.catalog.files.list(checkpoint.id);
  if (checkpoint.revision !== undefined && files.length !== 1) throw await stepExists(ctx.catalog, checkpoint);
  await receiveFile(ctx, checkpoint.id, { path: pushedPath, role: 'model' }, upload);
  return { checkpoint, created: false };
}
