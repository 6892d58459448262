import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { HubCommit } from '../../catalog/contract/hub/revision-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import { mainBranch } from '../hub-context.ts';
import { MissingRevision } from '../tree/missing.ts';
import { resolveRevision } from '../tree/resolve-revision.ts';
import { entriesOf, type Snapshot, walk } from '../tree/snapshot.ts';

/**
 * The newest commit of a branch; undefined for a `main` that is not there yet. A branch that shows a checkpoint which
 * was pushed without a commit gets that checkpoint as a commit first. `not-found`.
 */
export async function headOf(tx: Catalog, repository: Repository, branch: string): Promise<HubCommit | undefined> {
  const snapshot = await resolveRevision(tx, repository, `refs/heads/${branch}`);
  if (snapshot === undefined) {
    if (branch === mainBranch) return undefined;
    throw new MissingRevision(branch);
  }
  return recordSnapshot(tx, repository, snapshot);
}

/** The commit of a snapshot. A checkpoint's snapshot is recorded as one first, with its files as blobs. */
export async function recordSnapshot(tx: Catalog, repository: Repository, snapshot: Snapshot): Promise<HubCommit> {
  const known = await tx.hub.revisions.commit(repository.id, snapshot.commit.id);
  if (known !== undefined) return known;
  const { checkpoint, load } = snapshot;
  const root = { id: snapshot.commit.treeId, entries: (await entriesOf(snapshot, ''))! };
  const trees = [root];
  const files = new Map((await tx.files.list(checkpoint!.id)).map((file) => [file.path, file]));
  for await (const entry of walk(snapshot, root.entries)) {
    if (entry.kind === 'folder') trees.push({ id: entry.oid, entries: await load(entry.oid) });
    else {
      const { sha256, sizeBytes } = entry;
      await tx.hub.blobs.addFile({ repositoryId: repository.id, sha256, sizeBytes, fileId: files.get(entry.path)!.id });
    }
  }
  await tx.hub.revisions.putTrees(repository.id, trees);
  const commit = { ...snapshot.commit, repositoryId: repository.id };
  await tx.hub.revisions.putCommit(commit);
  return commit;
}
