import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { HubCommit, HubRef, RefKind } from '../../catalog/contract/hub/revision-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { checkRefName } from './check-ref-name.ts';
import { treeOid } from '../tree/git-object.ts';
import { type HubContext, mainBranch, mainRun } from '../hub-context.ts';
import { MissingRevision } from '../tree/missing.ts';
import { recordCommit } from './record-commit.ts';
import { headOf, recordSnapshot } from './record-snapshot.ts';
import { defaultRun, resolveRevision } from '../tree/resolve-revision.ts';

/** Checkpoints of a run that are listed as tags. */
const tagsPerRunMax = 1000;
const runsMax = 1000;
/** Names of refs: git's rules as far as hubs use them. */
const refPattern = /^(?!\/)(?!.*(?:\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)))[^\u0000-\u0020\u007f~^:?*[\\]{1,250}(?<![./])$/;

/** Names that git or this hub take for something else: options, commits, and what `HEAD` and full names lead to. */
const meansElse = /^(?:-.*|@|HEAD|refs\/.*|[0-9a-f]{40})$/;
/** A branch of this name would hide the tag of a step. */
const stepTag = /^(?:[^/]+\/)?step-\d+$/;

/**
 * All branches and tags of a repository: those that clients made, and those of runs and ready checkpoints that were
 * pushed without commits.
 */
export async function listRefs(catalog: Catalog, repository: Repository): Promise<HubRef[]> {
  const refs = new Map<string, HubRef>();
  const add = (ref: HubRef): void =>
    void (refs.has(`${ref.kind} ${ref.name}`) || refs.set(`${ref.kind} ${ref.name}`, ref));
  const main = await defaultRun(catalog, repository);
  const runs = await catalog.runs.list(repository.id, { limit: runsMax });
  const withRun = new Set([mainBranch, ...runs.map(({ name }) => name)]);
  for (const ref of await catalog.hub.revisions.refs(repository.id)) {
    // The branch may show a checkpoint that is newer than its commits.
    const isRun = ref.kind === 'branch' && withRun.has(ref.name);
    const shown = isRun ? await resolveRevision(catalog, repository, `refs/heads/${ref.name}`) : undefined;
    add({ ...ref, commitId: shown?.commit.id ?? ref.commitId });
  }
  for (const run of runs) {
    const checkpoints = await catalog.checkpoints.list(run.id, { limit: tagsPerRunMax });
    const ready = checkpoints.filter(({ state }) => state === 'ready');
    const ofCommits = await catalog.hub.checkpoints.among(ready.map(({ id }) => id));
    const newest = ready.at(-1);
    if (newest === undefined) continue;
    const branch = run.id === main?.id ? mainBranch : run.name;
    if (!ofCommits.has(newest.id)) add({ kind: 'branch', name: branch, commitId: newest.revision! });
    for (const { step, revision } of ready.filter(({ id }) => !ofCommits.has(id))) {
      add({ kind: 'tag', name: `${run.name}/step-${step}`, commitId: revision! });
      if (run.id === main?.id) add({ kind: 'tag', name: `step-${step}`, commitId: revision! });
    }
  }
  return [...refs.values()];
}

export interface NewRef {
  readonly kind: RefKind;
  readonly name: string;
  /** Where it leads; without one to a commit without files. */
  readonly revision: string | undefined;
  readonly overwrite: boolean;
}

/**
 * Creates a branch or tag at a revision, or an empty branch. Errors: `conflict` when it exists, or one that git does
 * not allow beside it; `not-found`, `invalid-request`.
 */
export async function createRef(
  ctx: HubContext,
  repository: Repository,
  { kind, name, revision, overwrite }: NewRef,
): Promise<void> {
  if (!refPattern.test(name) || meansElse.test(name) || (kind === 'branch' && stepTag.test(name)))
    throw new FirnError('invalid-request', `${JSON.stringify(name)} cannot be the name of a ${kind}.`);
  await ctx.catalog.transaction(async (tx) => {
    await tx.hub.revisions.lock(repository.id);
    const { id: commitId } = await commitOfNew(tx, repository, { kind, revision });
    await setNew(tx, repository, { kind, name, commitId }, overwrite);
  });
}

/** The commit that a new ref leads to: an empty one without a revision, and for `main` before it has any commit. */
async function commitOfNew(
  tx: Catalog,
  repository: Repository,
  { kind, revision }: Pick<NewRef, 'kind' | 'revision'>,
): Promise<{ readonly id: string }> {
  if (revision === undefined) return emptyCommit(tx, repository);
  const snapshot = await resolveRevision(tx, repository, revision);
  if (snapshot !== undefined) return recordSnapshot(tx, repository, snapshot);
  if (kind === 'branch' && revision === mainBranch) return emptyCommit(tx, repository);
  throw new MissingRevision(revision);
}

async function setNew(tx: Catalog, repository: Repository, ref: HubRef, overwrite: boolean): Promise<void> {
  const { id } = repository;
  const existing = await tx.hub.revisions.ref(id, ref.kind, ref.name);
  if (existing !== undefined && !overwrite)
    throw new FirnError('conflict', `The ${ref.kind} ${JSON.stringify(ref.name)} exists already.`);
  if (existing === undefined) await checkRefName(tx, repository, ref);
  await tx.hub.revisions.setRef(id, ref);
}

/**
 * Deletes a branch or tag; the commits stay readable by their ids. `not-found`; `conflict` for the main branch, and for
 * one that shows checkpoints which were pushed without commits: it is there as long as they are.
 */
export async function deleteRef(ctx: HubContext, repository: Repository, kind: RefKind, name: string): Promise<void> {
  if (kind === 'branch' && name === mainBranch)
    throw new FirnError('conflict', 'The main branch cannot be deleted; delete the repository.');
  await ctx.catalog.transaction(async (tx) => {
    // A commit or a publication that has read the ref would bring it back.
    await tx.hub.revisions.lock(repository.id);
    const wasThere = await tx.hub.revisions.deleteRef(repository.id, kind, name);
    const shown = await resolveRevision(tx, repository, `refs/${kind === 'branch' ? 'heads' : 'tags'}/${name}`);
    if (shown !== undefined)
      throw new FirnError(
        'conflict',
        `The ${kind} ${JSON.stringify(name)} shows ${kind === 'branch' ? 'a run' : 'a checkpoint'} that was not ` +
          'pushed by a hub client: delete that with the API or the command line.',
      );
    if (!wasThere) throw new MissingRevision(name);
  });
}

/**
 * Replaces the history of a branch by one commit with the same files, and drops commits that nothing leads to any more;
 * files that only they had expire.
 */
export async function squashBranch(
  ctx: HubContext,
  repository: Repository,
  branch: string,
  { title, author }: { readonly title: string; readonly author: string },
): Promise<HubCommit> {
  return ctx.catalog.transaction(async (tx) => {
    const { revisions, blobs } = tx.hub;
    await revisions.lock(repository.id);
    const head = await headOf(tx, repository, branch);
    if (head === undefined) throw new MissingRevision(branch);
    const text = { repositoryId: repository.id, treeId: head.treeId, title, message: '', author };
    const commit = await recordCommit(tx, text);
    await revisions.setRef(repository.id, { kind: 'branch', name: branch, commitId: commit.id });
    await blobs.release(repository.id, await revisions.dropUnreachable(repository.id));
    return commit;
  });
}

/** A first commit without files, which a new repository has so that its main branch exists. */
export async function emptyCommit(tx: Catalog, repository: Repository): Promise<HubCommit> {
  const root = { id: treeOid([]), entries: [] };
  await tx.hub.revisions.putTrees(repository.id, [root]);
  return recordCommit(tx, {
    repositoryId: repository.id,
    treeId: root.id,
    title: 'initial commit',
    message: '',
    author: mainRun,
  });
}
