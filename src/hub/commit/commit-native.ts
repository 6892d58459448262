import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { HubCommit } from '../../catalog/contract/hub/revision-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { stepTags } from '../checkpoints/step-tags.ts';
import { mainBranch, mainRun } from '../hub-context.ts';
import { changeFolder, type PathChange } from '../tree/folder.ts';
import { commitSnapshot, resolveRevision } from '../tree/resolve-revision.ts';
import { entriesOf, walk, type Snapshot } from '../tree/snapshot.ts';
import { recordCommit } from './record-commit.ts';

/** Checkpoints looked up in one query. */
const pageCheckpoints = 100;

/**
 * Commits a ready checkpoint that was pushed without a commit to the branch that shows it, if hub clients have
 * committed there: its files take the place of the weights in the root, and what else the branch has stays. Does
 * nothing for any other checkpoint; where nobody committed, a branch is its run.
 */
export async function commitNative(catalog: Catalog, checkpointId: string): Promise<void> {
  const checkpoint = await catalog.checkpoints.get(checkpointId);
  const run = checkpoint && (await catalog.runs.get(checkpoint.runId));
  const repository = run && (await catalog.repositories.get(run.repositoryId));
  if (run === undefined || repository === undefined || checkpoint?.state !== 'ready') return;
  for (const branch of run.name === mainRun ? [mainBranch] : [run.name, mainBranch]) {
    if ((await catalog.hub.revisions.ref(repository.id, 'branch', branch)) === undefined) continue;
    await catalog.transaction(async (tx) => {
      await tx.hub.revisions.lock(repository.id);
      const ref = await tx.hub.revisions.ref(repository.id, 'branch', branch);
      const head = ref && (await tx.hub.revisions.commit(repository.id, ref.commitId));
      const shown = head && (await resolveRevision(tx, repository, `refs/heads/${branch}`));
      if (shown?.checkpoint?.id === checkpointId) await layOver(tx, repository, { branch, head: head!, run, shown });
    });
  }
}

/**
 * Commits every native push whose process died between the checkpoint and the commit, at most `pageCheckpoints` in one
 * call; returns how many were looked at. One that fails holds up no other: the first failure is thrown at the end.
 */
export async function commitWaiting(catalog: Catalog): Promise<number> {
  const ids = await catalog.hub.checkpoints.uncommitted({ mainBranch, mainRun, limit: pageCheckpoints });
  const failures: unknown[] = [];
  for (const id of ids) await commitNative(catalog, id).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
  return ids.length;
}

interface Shown {
  readonly branch: string;
  readonly head: HubCommit;
  readonly run: Run;
  /** The snapshot of the checkpoint alone. */
  readonly shown: Snapshot;
}

async function layOver(tx: Catalog, { id: repositoryId }: Repository, { branch, head, run, shown }: Shown) {
  const { revisions, blobs, checkpoints } = tx.hub;
  const checkpoint: Checkpoint = shown.checkpoint!;
  const files = new Map((await tx.files.list(checkpoint.id)).map((file) => [file.path, file]));
  const changes: PathChange[] = [];
  for await (const entry of walk(shown, (await entriesOf(shown, ''))!)) {
    if (entry.kind === 'folder') continue;
    const { path, sha256, sizeBytes, isLarge, oid } = entry;
    await blobs.addFile({ repositoryId, sha256, sizeBytes, fileId: files.get(path)!.id });
    changes.push({ op: 'put', path, file: { sha256, sizeBytes, isLarge, oid } });
  }
  const before = commitSnapshot(tx, head);
  for (const { kind, name } of (await entriesOf(before, ''))!)
    if (kind === 'file' && isOfWeights(name) && !files.has(name)) changes.push({ op: 'delete', path: name });
  const { rootId: treeId, trees } = await changeFolder(before.load, head.treeId, changes);
  await revisions.putTrees(repositoryId, trees);
  const { title, message, author } = shown.commit;
  const commit = await recordCommit(tx, { repositoryId, treeId, parentId: head.id, title, message, author });
  await revisions.setRef(repositoryId, { kind: 'branch', name: branch, commitId: commit.id });
  // From now on it counts as one that a commit made, which has nothing to publish.
  await checkpoints.add({ checkpointId: checkpoint.id, repositoryId, commitId: commit.id, branch, folder: '' });
  await checkpoints.setPublished(checkpoint.id, commit.id);
  for (const name of stepTags({ branch, folder: '', runName: run.name, step: checkpoint.step }))
    if ((await revisions.ref(repositoryId, 'tag', name)) === undefined)
      await revisions.setRef(repositoryId, { kind: 'tag', name, commitId: commit.id });
}

/** Weights in shards, and the index of these. */
function isOfWeights(name: string): boolean {
  return name.endsWith('.safetensors') || name.endsWith('.safetensors.index.json');
}
