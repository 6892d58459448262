import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Run, RunLayout } from '../../catalog/contract/run-records.ts';
import { checkSameLayout } from './run-layout.ts';

/** Checkpoints of a run read in one page to see whether another one fixes its layout. */
const pageCheckpoints = 100;

/**
 * Checks a checkpoint's layout against its run's. The first checkpoint sets the run's layout; a fork has its parent's.
 * A layout that no checkpoint was built with may be replaced. Locks the run until the transaction ends.
 * `layout-mismatch`, `not-found`.
 */
export async function settleLayout(tx: Catalog, run: Run, checkpoint: Checkpoint, model: RunLayout): Promise<void> {
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
    if (
      page.some(
        (other) =>
          other.id !== id && (other.state === 'queued' || other.state === 'working' || other.state === 'ready'),
      )
    )
      return true;
    if (page.length < pageCheckpoints) return false;
    after = String(page.at(-1)!.sequence);
  }
}

async function parentLayout(tx: Catalog, run: Run): Promise<RunLayout | undefined> {
  const parent = run.parentCheckpointId === undefined ? undefined : await tx.checkpoints.get(run.parentCheckpointId);
  return parent === undefined ? undefined : tx.runs.lockLayout(parent.runId);
}
