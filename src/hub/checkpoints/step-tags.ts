import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { HubRef } from '../../catalog/contract/hub/revision-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { mainBranch } from '../hub-context.ts';
import { type PlannedCheckpoint, runSuffixOf, stepOfFolder } from './plan-checkpoints.ts';

/** A step of a run that a commit has. */
export interface CommittedStep {
  readonly commitId: string;
  readonly branch: string;
  readonly run: Run;
  readonly step: number;
  readonly plan: PlannedCheckpoint;
}

/**
 * The tags of a step: `run/step-N`, and `step-N` for weights of the main branch in its own run. The step is that of the
 * folder, although the run may have given the checkpoint another one. Pure.
 */
export function stepTags({
  branch,
  folder,
  runName,
  step,
}: {
  readonly branch: string;
  readonly folder: string;
  readonly runName: string;
  readonly step: number;
}): readonly string[] {
  const name = `step-${stepOfFolder(folder) ?? step}`;
  const isOfMain = branch === mainBranch && runSuffixOf(folder) === '';
  return [`${runName}/${name}`, ...(isOfMain ? [name] : [])];
}

/**
 * Sets the tags of a step: `run/step-N`, and `step-N` for weights of the main branch. A tag that exists stays, since a
 * person may have made it. The exception is a tag that only the title of an earlier commit gave: if the folder is named
 * after the step and the earlier commit had other weights, the folder is right. A Trainer that saves faster than it
 * pushes makes such titles.
 */
export async function setStepTags(tx: Catalog, { id }: Repository, committed: CommittedStep): Promise<void> {
  const { branch, run, step, plan, commitId } = committed;
  for (const name of stepTags({ branch, folder: plan.folder, runName: run.name, step })) {
    const ref = await tx.hub.revisions.ref(id, 'tag', name);
    if (ref === undefined || (plan.step !== undefined && (await isGuess(tx, ref, committed))))
      await tx.hub.revisions.setRef(id, { kind: 'tag', name, commitId });
  }
}

/** Whether a tag leads to a commit that had the step by its title alone, and other weights than this one. */
async function isGuess(tx: Catalog, { commitId }: HubRef, { run, step, plan }: CommittedStep): Promise<boolean> {
  const holder = await tx.checkpoints.find(run.id, step);
  const record = holder && (await tx.hub.checkpoints.find(holder.id));
  if (holder === undefined || record === undefined || stepOfFolder(record.folder) !== undefined) return false;
  if (commitId !== record.commitId && commitId !== record.publishedId) return false;
  const digests = new Set((await tx.files.list(holder.id)).map(({ sha256 }) => sha256));
  return !plan.files.every(({ sha256 }) => digests.has(sha256));
}
