import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { HubRef } from '../../catalog/contract/hub/revision-records.ts';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';
import { mainBranch } from '../hub-context.ts';
import { resolveRevision } from '../tree/resolve-revision.ts';

/**
 * Refuses a ref beside which `a` and `a/b` would both exist: git keeps refs as files, and a file cannot also be a
 * folder. Branches and tags do not get in each other's way. The main branch counts also before it has a commit, and so
 * do runs before they have a checkpoint. Call it under the lock of the repository's refs. Errors: `conflict`.
 */
export async function checkRefName(
  tx: Catalog,
  repository: Repository,
  { kind, name }: Pick<HubRef, 'kind' | 'name'>,
): Promise<void> {
  if (kind === 'tag' && belowStep.test(name))
    throw new FirnError(
      'conflict',
      'Git allows no tag below the tag of a step, such as "step-1"; choose another name.',
    );
  const other = (await refAbove(tx, repository, kind, name)) ?? (await refBelow(tx, repository, kind, name));
  if (other === undefined) return;
  const [ours, theirs] = [name, other].map((each) => JSON.stringify(each));
  throw new FirnError(
    'conflict',
    `The ${kind} ${theirs} exists or is kept for a run, and git allows no ${kind} ${ours} beside it; ` +
      'choose another name.',
  );
}

/** `step-1/x` and `run/step-1/x`. */
const belowStep = /^(?:[^/]+\/)?step-\d+\//;

async function refAbove(tx: Catalog, repository: Repository, kind: HubRef['kind'], name: string) {
  const parts = name.split('/');
  const prefix = kind === 'branch' ? 'refs/heads/' : 'refs/tags/';
  for (let length = 1; length < parts.length; length++) {
    const above = parts.slice(0, length).join('/');
    if (kind === 'branch' && above === mainBranch) return above;
    if ((await resolveRevision(tx, repository, `${prefix}${above}`)) !== undefined) return above;
    // A run is a branch from its first checkpoint on.
    if (kind === 'branch' && (await tx.runs.find(repository.id, above)) !== undefined) return above;
  }
  return undefined;
}

async function refBelow(tx: Catalog, repository: Repository, kind: HubRef['kind'], name: string) {
  const refs = await tx.hub.revisions.refs(repository.id);
  const stored = refs.find((ref) => ref.kind === kind && ref.name.startsWith(`${name}/`));
  if (stored !== undefined || kind === 'branch') return stored?.name;
  // The checkpoints of a run are tags below its name, now or later.
  return (await tx.runs.find(repository.id, name)) && `${name}/step-1`;
}
