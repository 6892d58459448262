import type { Catalog } from '../../../catalog/contract/catalog.ts';
import type { CheckpointCounts } from '../../../catalog/contract/checkpoint-records.ts';
import type { Run } from '../../../catalog/contract/run-records.ts';
import type { RunNames } from '../../schemas/run.ts';

/**
 * The names behind the ids of a run, and how many checkpoints it has. `counts` are those of several runs, if they were
 * read already.
 */
export async function namesOfRun(
  catalog: Catalog,
  run: Run,
  counts?: ReadonlyMap<string, CheckpointCounts>,
): Promise<RunNames> {
  const known = counts ?? (await catalog.checkpoints.counts([run.id]));
  const evalSet = run.evalSetId === undefined ? undefined : await catalog.evalSets.get(run.evalSetId);
  const parent =
    run.parentCheckpointId === undefined ? undefined : await catalog.checkpoints.get(run.parentCheckpointId);
  const parentRun = parent === undefined ? undefined : await catalog.runs.get(parent.runId);
  // A run may build on a model of another repository, which the reader may not see.
  const isOwn = parentRun?.repositoryId === run.repositoryId;
  return {
    evalSet,
    counts: known.get(run.id),
    forkedFrom: isOwn ? parent && parentRun && { run: parentRun.name, step: parent.step } : undefined,
  };
}
