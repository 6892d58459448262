import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { HubCommit } from '../../catalog/contract/hub/revision-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { addCheckpoints, type CommittedWeights } from '../checkpoints/add-checkpoints.ts';
import { checkRefName } from './check-ref-name.ts';
import { addedFiles, changeFolder, type PathChange } from '../tree/folder.ts';
import { treeOid } from '../tree/git-object.ts';
import { hasBytes } from '../upload/has-bytes.ts';
import type { HubContext } from '../hub-context.ts';
import { madeBefore } from './made-before.ts';
import { type AddedFile, planCheckpoints, type PlannedCheckpoint } from '../checkpoints/plan-checkpoints.ts';
import { readStoredSteps } from '../checkpoints/read-stored-steps.ts';
import { recordCommit } from './record-commit.ts';
import { headOf } from './record-snapshot.ts';
import { commitSnapshot, resolveRevision } from '../tree/resolve-revision.ts';
import { entryAt } from '../tree/snapshot.ts';
import { stageCheckpoint, type StagedCheckpoint } from '../checkpoints/stage-checkpoint.ts';

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
  /** Step that a file inside the commit names, by the folder of the file. */
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
  const added = addedFiles(input.changes);
  await checkUploaded(ctx.catalog, repository.id, added);
  const staged: StagedCheckpoint[] = [];
  const known: PlannedCheckpoint[] = [];
  try {
    const planned = repository.type === 'model' ? planCheckpoints(added) : [];
    const steps = await readStoredSteps(ctx, repository.id, input.steps, { planned, added });
    for (const plan of planned) {
      const isShown = () => showsFiles(ctx.catalog, repository, { branch: input.branch, files: plan.files });
      const checkpoint = await stageCheckpoint(ctx, repository, { plan, isShown });
      if (checkpoint === 'known') known.push(plan);
      else if (checkpoint !== undefined) staged.push(checkpoint);
    }
    const outcome = await ctx.catalog.transaction((tx) =>
      commitIn(ctx, tx, repository, { ...input, steps }, { staged, known }),
    );
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
  weights: Pick<CommittedWeights, 'staged' | 'known'>,
): Promise<CommitOutcome> {
  const { revisions } = tx.hub;
  await revisions.lock(repository.id);
  const head = await headOf(tx, repository, input.branch);
  const made = head && (await madeBefore(tx, head, input));
  if (made !== undefined) return { commit: made, created: false, checkpoints: [] };
  if (input.parentCommit !== undefined && input.parentCommit !== head?.id)
    throw new FirnError('precondition-failed', 'A commit has happened since. Please refresh and try again.');
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
  const checkpoints = await addCheckpoints(ctx, tx, repository, { ...input, ...weights, commitId: commit.id });
  return { commit, created: true, checkpoints };
}

const emptyTreeId = treeOid([]);

/** Whether a branch has these very files at their paths. */
async function showsFiles(
  catalog: Catalog,
  repository: Repository,
  { branch, files }: { readonly branch: string; readonly files: readonly AddedFile[] },
): Promise<boolean> {
  const snapshot = await resolveRevision(catalog, repository, `refs/heads/${branch}`);
  if (snapshot === undefined) return false;
  for (const { path, sha256 } of files) {
    const entry = await entryAt(snapshot, path);
    if (entry?.kind !== 'file' || entry.sha256 !== sha256) return false;
  }
  return true;
}

/** Refuses a commit early whose files were not uploaded to this very repository. */
async function checkUploaded(catalog: Catalog, repositoryId: string, added: readonly AddedFile[]): Promise<void> {
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
