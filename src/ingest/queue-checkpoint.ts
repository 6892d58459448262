import type { Catalog, Checkpoint, CheckpointFile, Run, RunLayout } from '../catalog/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { encodeJobKind } from './ingest-context.ts';
import { revisionId } from './revision-id.ts';
import { checkSameLayout } from './run-layout.ts';

/** What was read of the files before the transaction. */
export interface CheckedFiles {
  /** The model tensors. */
  readonly model: RunLayout;
  readonly files: readonly Pick<CheckpointFile, 'path' | 'role' | 'sizeBytes' | 'sha256'>[];
  /** Of the request that commits, for the trace of the job. */
  readonly traceparent?: string | undefined;
}

/** Checkpoints of a run looked at in one page when asking whether any other fixes its layout. */
const pageCheckpoints = 100;

/**
 * Closes an open checkpoint whose files were checked, inside the caller's transaction: it fits its run, gets its revision, and its encode job is released.
 * Locks the run. Errors: `layout-mismatch`, `conflict` (not open any more, or a file changed since it was checked), `not-found`.
 */
export async function queueCheckpoint(tx: Catalog, run: Run, checkpoint: Checkpoint, { model, files, traceparent }: CheckedFiles): Promise<Checkpoint> {
  const revision = revisionId(run.id, checkpoint.step, files);
  await settleLayout(tx, run, checkpoint, model);
  const queued = await tx.checkpoints.transition(checkpoint.id, ['open'], 'queued', { revision });
  // From here on no file can change; one that did since the headers were read undoes the commit.
  if (revisionId(run.id, checkpoint.step, await tx.files.list(checkpoint.id)) !== revision)
    throw new FirnError('conflict', 'A file changed while the checkpoint was committed; commit again.');
  await tx.jobs.release(encodeJobKind, checkpoint.id, traceparent);
  return queued;
}

/** The run's layout is that of its checkpoints; the first one sets it, for a fork its parent's run. One that nothing was built with may be replaced. */
async function settleLayout(tx: Catalog, run: Run, checkpoint: Checkpoint, model: RunLayout): Promise<void> {
  const ofRun = await tx.runs.lockLayout(run.id);
  if (ofRun !== undefined && (await hasOtherCommitted(tx, run, checkpoint))) {
    checkSameLayout(ofRun, model);
    return;
  }
  const ofParent = await parentLayout(tx, run);
  if (ofParent !== undefined) checkSameLayout(ofParent, model);
  await tx.runs.setLayout(run.id, model);
}

async function hasOtherCommitted(tx: Catalog, run: Run, { id }: Checkpoint): Promise<boolean> {
  for (let after: string | undefined; ;) {
    const page = await tx.checkpoints.list(run.id, { limit: pageCheckpoints, ...(after !== undefined && { after }) });
    if (page.some((other) => other.id !== id && (other.state === 'queued' || other.state === 'working' || other.state === 'ready'))) return true;
    if (page.length < pageCheckpoints) return false;
    after = String(page.at(-1)!.sequence);
  }
}

async function parentLayout(tx: Catalog, run: Run): Promise<RunLayout | undefined> {
  const parent = run.parentCheckpointId === undefined ? undefined : await tx.checkpoints.get(run.parentCheckpointId);
  return parent === undefined ? undefined : tx.runs.lockLayout(parent.runId);
}
