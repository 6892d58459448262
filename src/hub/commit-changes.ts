import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Checkpoint } from '../catalog/contract/checkpoint-records.ts';
import type { HubCommit } from '../catalog/contract/hub/revision-records.ts';
import type { Repository } from '../catalog/contract/repository-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { checkRefName } from './check-ref-name.ts';
import { changeFolder, type PathChange } from './folder.ts';
import { treeOid } from './git-object.ts';
import { hasBytes } from './has-bytes.ts';
import { type HubContext, serverAuthor } from './hub-context.ts';
import { planCheckpoints, stepOfTitle } from './plan-checkpoints.ts';
import { type QueuedCheckpoint, queueHubCheckpoint } from './queue-checkpoints.ts';
import { recordCommit } from './record-commit.ts';
import { headOf } from './record-snapshot.ts';
import { commitSnapshot } from './resolve-revision.ts';
import { stageCheckpoint, type StagedCheckpoint } from './stage-checkpoint.ts';

export interface CommitInput {
  readonly branch: string;
  /** The commit that the client believes to be the newest of the branch. */
  readonly parentCommit?: string;
  readonly title: string;
  readonly message: string;
  readonly author: string;
  readonly changes: readonly PathChange[];
  /** The model that the repository's card names as its base, if the author may read it. */
  readonly base?: Repository | undefined;
  /** Of the whole request: the same request sent twice makes one commit. */
  readonly requestSha256: string;
  /** Step that a file of the commit names, by the folder of the file. */
  readonly steps: ReadonlyMap<string, number>;
}

export interface CommitOutcome {
  readonly commit: Pick<HubCommit, 'id'>;
  /** False if nothing changed, or if the request was answered before. */
  readonly created: boolean;
  readonly checkpoints: readonly Checkpoint[];
}

/**
 * Commits changes to a branch, whole or not at all: files, the new head and the checkpoints that its weights become, in
 * one transaction. `main` comes into being with its first commit. Errors: `precondition-failed` when the branch has
 * moved on from `parentCommit`; `not-found` for any other branch that does not exist, and when something to delete is
 * absent; `conflict` when a file was not uploaded, or when git does not allow the branch beside another.
 */
export async function commitChanges(
  ctx: HubContext,
  repository: Repository,
  input: CommitInput,
): Promise<CommitOutcome> {
  const added = input.changes.flatMap((change) =>
    change.op === 'put' ? [{ path: change.path, sha256: change.file.sha256, sizeBytes: change.file.sizeBytes }] : [],
  );
  await checkUploaded(ctx.catalog, repository.id, added);
  const staged: StagedCheckpoint[] = [];
  try {
    for (const plan of repository.type === 'model' ? planCheckpoints(added) : []) {
      const checkpoint = await stageCheckpoint(ctx, repository, plan);
      if (checkpoint !== undefined) staged.push(checkpoint);
    }
    const outcome = await ctx.catalog.transaction((tx) => commitIn(ctx, tx, repository, input, staged));
    if (outcome.checkpoints.length > 0) ctx.wakeWorkers();
    return outcome;
  } finally {
    for (const { tickets } of staged) await Promise.all(tickets.map((ticket) => ticket.release()));
  }
}

async function commitIn(
  ctx: HubContext,
  tx: Catalog,
  repository: Repository,
  input: CommitInput,
  staged: readonly StagedCheckpoint[],
): Promise<CommitOutcome> {
  const { revisions } = tx.hub;
  await revisions.lock(repository.id);
  const head = await headOf(tx, repository, input.branch);
  const repeated = head && (await lastPushed(tx, head));
  if (repeated?.requestSha256 === input.requestSha256) return { commit: repeated, created: false, checkpoints: [] };
  if (input.parentCommit !== undefined && input.parentCommit !== head?.id) {
    const made = head && (await madeBefore(tx, head, input));
    if (made !== undefined) return { commit: made, created: false, checkpoints: [] };
    throw new FirnError('precondition-failed', 'A commit has happened since. Please refresh and try again.');
  }
  const load = head === undefined ? async () => [] : commitSnapshot(tx, head).load;
  const { rootId, trees } = await changeFolder(load, head?.treeId, input.changes);
  if (head !== undefined && rootId === head.treeId) return { commit: head, created: false, checkpoints: [] };
  const digests = input.changes.flatMap((change) => (change.op === 'put' ? [change.file.sha256] : []));
  await tx.hub.blobs.commit(repository.id, digests);
  await revisions.putTrees(repository.id, rootId === emptyTreeId ? [...trees, { id: rootId, entries: [] }] : trees);
  const { title, message, author, requestSha256 } = input;
  const commit = await recordCommit(tx, {
    repositoryId: repository.id,
    treeId: rootId,
    ...(head !== undefined && { parentId: head.id }),
    title,
    message,
    author,
    requestSha256,
  });
  const ref = { kind: 'branch', name: input.branch, commitId: commit.id } as const;
  // A commit creates `main`, and the branch that a run of the native API shows.
  if ((await revisions.ref(repository.id, 'branch', ref.name)) === undefined) await checkRefName(tx, repository, ref);
  await revisions.setRef(repository.id, ref);
  const checkpoints: Checkpoint[] = [];
  for (const each of staged) {
    const step = input.steps.get(each.plan.folder) ?? stepOfTitle(input.title);
    const { branch, base } = input;
    const queued = await queueHubCheckpoint(ctx, tx, repository, { branch, base, step, staged: each });
    if (queued === undefined) continue;
    checkpoints.push(queued.checkpoint);
    await tx.hub.checkpoints.add({
      checkpointId: queued.checkpoint.id,
      repositoryId: repository.id,
      commitId: commit.id,
      branch: input.branch,
      folder: each.plan.folder,
    });
    await setTags(tx, repository, commit.id, queued);
  }
  return { commit, created: true, checkpoints };
}

/** The newest commit that a client made; those of the server itself may have come after it. */
async function lastPushed(tx: Catalog, head: HubCommit): Promise<HubCommit | undefined> {
  if (head.author !== serverAuthor) return head;
  const history = await tx.hub.revisions.history(head.repositoryId, head.id, serverCommitsMax);
  return history.find(({ author }) => author !== serverAuthor);
}

/** Commits of the server in a row that are looked through. */
const serverCommitsMax = 50;

/** The commit that the same request made on the same parent, if others have followed since. */
async function madeBefore(tx: Catalog, { repositoryId, id }: HubCommit, input: CommitInput) {
  const recent = await tx.hub.revisions.history(repositoryId, id, repeatedWithin);
  return recent.find(
    ({ parentId, requestSha256 }) => parentId === input.parentCommit && requestSha256 === input.requestSha256,
  );
}

/** Newest commits of a branch among which a repeated request is looked for: a client repeats it within seconds. */
const repeatedWithin = 100;

const emptyTreeId = treeOid([]);

/** A tag that a person made is left alone. */
async function setTags(tx: Catalog, { id }: Repository, commitId: string, { tags }: QueuedCheckpoint): Promise<void> {
  for (const name of tags)
    if ((await tx.hub.revisions.ref(id, 'tag', name)) === undefined)
      await tx.hub.revisions.setRef(id, { kind: 'tag', name, commitId });
}

/** Refuses a commit early whose files were not uploaded to this very repository. */
async function checkUploaded(
  catalog: Catalog,
  repositoryId: string,
  added: readonly { readonly path: string; readonly sha256: string; readonly sizeBytes: number }[],
): Promise<void> {
  for (let start = 0; start < added.length; start += pageFiles) {
    const page = added.slice(start, start + pageFiles);
    const blobs = await catalog.hub.blobs.find(repositoryId, [...new Set(page.map(({ sha256 }) => sha256))]);
    const bySha256 = new Map(blobs.map((blob) => [blob.sha256, blob]));
    for (const { path, sha256, sizeBytes } of page) {
      const blob = bySha256.get(sha256);
      if (!hasBytes(blob))
        throw new FirnError('conflict', `The bytes of ${JSON.stringify(path)} have not been uploaded.`);
      if (blob.sizeBytes !== sizeBytes)
        throw new FirnError(
          'length-mismatch',
          `${JSON.stringify(path)} has ${blob.sizeBytes} bytes, not ${sizeBytes}.`,
        );
    }
  }
}

/** Files looked up in one query. */
const pageFiles = 500;
