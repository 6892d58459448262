import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Run, RunLayout } from '../../catalog/contract/run-records.ts';
import { checkBuildsOn, checkSameLayout } from './run-layout.ts';

/** Checkpoints of a run read in one page to see whether another one fixes its layout. */
const pageCheckpoints = 100;

/**
 * Checks a checkpoint's layout against its run's. The first checkpoint sets the run's layout; a fork has its parent's,
 * and what builds on a base model has most of that. A layout that no checkpoint was built with may be replaced. Locks
 * the run until the transaction ends. `layout-mismatch`, `not-found`.
 */
export async function settleLayout(tx: Catalog, run: Run, checkpoint: Checkpoint, model: RunLayout): Promise<void> {
  const ofRun = await tx.runs.lockLayout(run.id);
  if (ofRun !== undefined && (await hasOtherCommitted(tx, run, checkpoint))) {
    checkSameLayout(ofRun, model);
    return;
  }
  await checkAgainstParent(tx, run, model);
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

/** A fork goes on with the same tensors; what builds on a model of another repository may have others beside them. */
async function checkAgainstParent(tx: Catalog, run: Run, model: RunLayout): Promise<void> {
  const parent = run.parentCheckpointId === undefined ? undefined : await tx.checkpoints.get(run.parentCheckpointId);
  const parentRun = parent && (await tx.runs.get(parent.runId));
  const layout = parentRun && (await tx.runs.lockLayout(parentRun.id));
  if (layout === undefined) return;
  if (parentRun!.repositoryId === run.repositoryId) checkSameLayout(layout, model);
  else checkBuildsOn(layout, model);
}
