import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import type { HubContext } from '../hub-context.ts';
import { type PlannedCheckpoint, stepOfTitle } from './plan-checkpoints.ts';
import { queueHubCheckpoint } from './queue-checkpoints.ts';
import type { StagedCheckpoint } from './stage-checkpoint.ts';
import { setStepTags } from './step-tags.ts';

/** A commit that was just recorded, with the weights in it. */
export interface CommittedWeights {
  readonly commitId: string;
  readonly branch: string;
  readonly title: string;
  readonly base?: Repository | undefined;
  /** Step that a file of the commit names, by the folder of the file. */
  readonly steps: ReadonlyMap<string, number>;
  readonly staged: readonly StagedCheckpoint[];
  /** Checkpoints all of whose files an earlier checkpoint of the repository has. */
  readonly known: readonly PlannedCheckpoint[];
}

/** Queues the checkpoints of a commit inside its transaction, and sets the tags of their steps. */
export async function addCheckpoints(
  ctx: HubContext,
  tx: Catalog,
  repository: Repository,
  { commitId, branch, title, base, steps, staged, known }: CommittedWeights,
): Promise<Checkpoint[]> {
  const checkpoints: Checkpoint[] = [];
  const stored = [...known];
  for (const each of staged) {
    const { plan } = each;
    const step = steps.get(plan.folder) ?? stepOfTitle(title);
    const queued = await queueHubCheckpoint(ctx, tx, repository, { branch, base, step, staged: each });
    if (queued === undefined) {
      stored.push(plan);
      continue;
    }
    const { checkpoint, run } = queued;
    checkpoints.push(checkpoint);
    const record = { checkpointId: checkpoint.id, repositoryId: repository.id, commitId, branch, folder: plan.folder };
    await tx.hub.checkpoints.add(record);
    // The run may have the step of the folder already; the tag is the folder's all the same.
    const tagged = { commitId, branch, run, plan, step: plan.step ?? checkpoint.step };
    await setStepTags(tx, repository, tagged);
  }
  for (const plan of stored) {
    if (plan.step === undefined) continue;
    const run = await runHolding(tx, repository, plan);
    if (run !== undefined) await setStepTags(tx, repository, { commitId, branch, run, plan, step: plan.step });
  }
  return checkpoints;
}

/** The run of the checkpoint that owns the first file of a folder; undefined if none does. */
async function runHolding(tx: Catalog, { id }: Repository, { files }: PlannedCheckpoint): Promise<Run | undefined> {
  const [blob] = await tx.hub.blobs.find(id, [files[0]!.sha256]);
  const file = blob?.fileId === undefined ? undefined : await tx.files.get(blob.fileId);
  const checkpoint = file && (await tx.checkpoints.get(file.checkpointId));
  return checkpoint && tx.runs.get(checkpoint.runId);
}
