import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Checkpoint } from '../../catalog/contract/checkpoint-records.ts';
import type { HubCommit, TreeEntry } from '../../catalog/contract/hub/revision-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { Run } from '../../catalog/contract/run-records.ts';
import { mainBranch, mainRun } from '../hub-context.ts';
import { checkpointSnapshot, type Snapshot } from './snapshot.ts';

const commitPattern = /^[0-9a-f]{40}$/;
/** `step-1200`, or `run/step-1200`. */
const stepPattern = /^(?:([^/]+)\/)?step-(0|[1-9]\d{0,15})$/;
/** The full names of git, which some clients send. */
const refPrefixes = [
  ['refs/heads/', 'branch'],
  ['refs/tags/', 'tag'],
] as const;

/** How many runs are looked at to find the oldest, which the main branch shows when no run is named `default`. */
const runsMax = 1000;

export type RevisionCatalog = Pick<Catalog, 'hub' | 'runs' | 'checkpoints' | 'files' | 'locations'>;

/**
 * The snapshot that a revision of a repository names: a commit's id, a branch, a tag, a run (its newest ready
 * checkpoint), `step-N` or `run/step-N`. `HEAD` is the main branch, which in a repository without commits is its
 * default run. Undefined if there is none.
 */
export async function resolveRevision(
  catalog: RevisionCatalog,
  repository: Repository,
  revision: string,
): Promise<Snapshot | undefined> {
  if (revision === 'HEAD') return ofBranch(catalog, repository, mainBranch);
  if (commitPattern.test(revision)) return byCommitId(catalog, repository, revision);
  for (const [prefix, kind] of refPrefixes)
    if (revision.startsWith(prefix)) {
      const name = revision.slice(prefix.length);
      return kind === 'branch' ? ofBranch(catalog, repository, name) : ofTag(catalog, repository, name);
    }
  return (await ofBranch(catalog, repository, revision)) ?? ofTag(catalog, repository, revision);
}

/** The run that the main branch shows: `default`, or else the oldest. */
export async function defaultRun(catalog: Pick<Catalog, 'runs'>, repository: Repository): Promise<Run | undefined> {
  const named = await catalog.runs.find(repository.id, mainRun);
  if (named !== undefined) return named;
  const runs = await catalog.runs.list(repository.id, { limit: runsMax });
  return runs.reduce<Run | undefined>(
    (oldest, run) => (oldest === undefined || run.createdAt < oldest.createdAt ? run : oldest),
    undefined,
  );
}

async function byCommitId(catalog: RevisionCatalog, repository: Repository, id: string): Promise<Snapshot | undefined> {
  const commit = await catalog.hub.revisions.commit(repository.id, id);
  if (commit !== undefined) return commitSnapshot(catalog, commit);
  const checkpoint = await catalog.checkpoints.withRevision(repository.id, id);
  return checkpoint?.state === 'ready' ? ofCheckpoint(catalog, checkpoint) : undefined;
}

async function ofBranch(catalog: RevisionCatalog, repository: Repository, name: string): Promise<Snapshot | undefined> {
  const isMain = name === mainBranch;
  const names = { repositoryId: repository.id, branch: name, run: isMain ? mainRun : name, orOldest: isMain };
  const { commit, run, newest, isOfCommit } = await catalog.locations.branch(names);
  // A checkpoint that was pushed without a commit, after the newest commit, is what the branch shows. One that a commit
  // made is shown by its branch alone, which may have been deleted.
  const isNewer = newest?.committedAt !== undefined && (commit === undefined || isAfter(newest.committedAt, commit));
  if (newest !== undefined && isNewer && !isOfCommit) return ofCheckpoint(catalog, newest, run);
  return commit && commitSnapshot(catalog, commit);
}

/**
 * Commits have whole seconds. Within one the commit counts as newer: what was acknowledged must not be hidden by it.
 */
function isAfter(time: Date, { createdAt }: HubCommit): boolean {
  return Math.floor(time.getTime() / 1000) > Math.floor(createdAt.getTime() / 1000);
}

async function ofTag(catalog: RevisionCatalog, repository: Repository, name: string): Promise<Snapshot | undefined> {
  const ref = await catalog.hub.revisions.ref(repository.id, 'tag', name);
  const commit = ref && (await catalog.hub.revisions.commit(repository.id, ref.commitId));
  if (commit !== undefined) return commitSnapshot(catalog, commit);
  const [, runName, step] = stepPattern.exec(name) ?? [];
  if (step === undefined) return undefined;
  const run =
    runName === undefined
      ? await defaultRun(catalog, repository)
      : await catalog.runs.find(repository.id, runName === mainBranch ? mainRun : runName);
  const checkpoint = run && (await catalog.checkpoints.find(run.id, Number(step)));
  if (checkpoint?.state !== 'ready') return undefined;
  // The tag of a checkpoint that a commit made was set with the commit; here it was deleted.
  const isOfCommit = (await catalog.hub.checkpoints.among([checkpoint.id])).size > 0;
  return isOfCommit ? undefined : ofCheckpoint(catalog, checkpoint, run);
}

async function ofCheckpoint(catalog: RevisionCatalog, checkpoint: Checkpoint, run?: Run): Promise<Snapshot> {
  const { name } = run ?? (await catalog.runs.get(checkpoint.runId))!;
  return checkpointSnapshot(checkpoint, await catalog.files.digests(checkpoint.id), name);
}

/** The snapshot of a commit. Its trees are read as they are needed, each once. */
export function commitSnapshot(catalog: Pick<Catalog, 'hub'>, commit: HubCommit): Snapshot {
  const loaded = new Map<string, Promise<readonly TreeEntry[]>>();
  const read = async (id: string): Promise<readonly TreeEntry[]> =>
    (await catalog.hub.revisions.trees(commit.repositoryId, [id]))[0]?.entries ?? [];
  return {
    commit,
    load: (id) => {
      const known = loaded.get(id) ?? read(id);
      loaded.set(id, known);
      return known;
    },
  };
}
