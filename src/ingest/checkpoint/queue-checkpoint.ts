import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { CheckpointFile } from '../../catalog/contract/file-records.ts';
import type { Run, RunLayout } from '../../catalog/contract/run-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import type { Evaluation } from '../run/evaluation-of-run.ts';
import { encodeJobKind } from '../ingest-context.ts';
import { revisionId } from './revision-id.ts';
import { checkFinal } from '../run/close-run.ts';
import { settleLayout } from '../run/settle-layout.ts';

/** Facts read from the files before the transaction. */
export interface CheckedFiles {
  /** The model tensors. */
  readonly model: RunLayout;
  readonly files: readonly Pick<CheckpointFile, 'path' | 'role' | 'sizeBytes' | 'sha256'>[];
  /** The traceparent of the committing request, for the trace of the job. */
  readonly traceparent?: string | undefined;
}

/**
 * Closes an open checkpoint whose files were checked, inside the caller's transaction. It checks the layout against the
 * run, sets the revision, fixes the run's current eval set and thresholds, and releases the encode job. Closes the run
 * if the checkpoint is its last. Locks the run. Errors: `layout-mismatch`, `conflict` (not open any more, or a file
 * changed since it was checked), `not-found`.
 */
export async function queueCheckpoint(
  tx: Catalog,
  run: Run,
  checkpoint: Checkpoint,
  { model, files, traceparent }: CheckedFiles,
): Promise<Checkpoint> {
  const revision = revisionId(run.id, checkpoint.step, files);
  await settleLayout(tx, run, checkpoint, model);
  const queued = await tx.checkpoints.transition(checkpoint.id, ['open'], 'queued', {
    revision,
    ...(await evaluationNow(tx, run, checkpoint)),
  });
  // From here on no file can change. A file that changed since the headers were read rolls the commit back.
  if (revisionId(run.id, checkpoint.step, await tx.files.list(checkpoint.id)) !== revision)
    throw new FirnError('conflict', 'A file changed while the checkpoint was committed; commit again.');
  if (checkpoint.final !== undefined) await tx.runs.setClosed(run.id, true);
  await tx.jobs.release(encodeJobKind, checkpoint.id, traceparent);
  return queued;
}

/** Read again under the lock: the caller read the run before it. */
async function evaluationNow(tx: Catalog, { id }: Run, { final = {} }: Checkpoint): Promise<Partial<Evaluation>> {
  const run = await tx.runs.get(id);
  if (run?.fidelity !== 'lossy') return {};
  await checkFinal(tx, run, final);
  const { evalSetId } = run;
  const thresholds = final.thresholds ?? run.thresholds;
  return { thresholds, ...(evalSetId !== undefined && { evalSetId }) };
}
