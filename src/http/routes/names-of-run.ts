import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import type { RunNames } from '../schemas/run.ts';

/** The eval set of a run, and the checkpoint it was forked from, as far as a reader of its repository may know them. */
export async function namesOfRun(catalog: Catalog, run: Run): Promise<RunNames> {
  const evalSet = run.evalSetId === undefined ? undefined : await catalog.evalSets.get(run.evalSetId);
  const parent =
    run.parentCheckpointId === undefined ? undefined : await catalog.checkpoints.get(run.parentCheckpointId);
  const parentRun = parent === undefined ? undefined : await catalog.runs.get(parent.runId);
  // A run may build on a model of another repository, which the reader may not see.
  const isOwn = parentRun?.repositoryId === run.repositoryId;
  return { evalSet, forkedFrom: isOwn ? parent && parentRun && { run: parentRun.name, step: parent.step } : undefined };
}
