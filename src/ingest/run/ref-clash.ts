import type { Catalog } from '../../catalog/contract/catalog.ts';
import { FirnError } from '../../checkpoint/firn-error.ts';

/**
 * What git would not allow beside a run of this name: hub clients see the run as a branch and its checkpoints as tags
 * below its name, so a branch below the name cannot exist, nor a tag of the name. Undefined if nothing is in the way.
 * Call it under the lock of the repository's refs.
 */
export async function refClash(tx: Catalog, repositoryId: string, runName: string): Promise<string | undefined> {
  const clash = (await tx.hub.revisions.refs(repositoryId)).find(({ kind, name }) =>
    kind === 'branch' ? name.startsWith(`${runName}/`) : name === runName,
  );
  return clash && `the ${clash.kind} ${JSON.stringify(clash.name)}`;
}

/** Refuses a run beside which git would not allow a branch or tag that exists. `conflict`. */
export async function refuseRefClash(tx: Catalog, repositoryId: string, runName: string): Promise<void> {
  await tx.hub.revisions.lock(repositoryId);
  const clash = await refClash(tx, repositoryId, runName);
  if (clash !== undefined)
    throw new FirnError('conflict', `Hub clients could not see the run beside ${clash}; choose another name.`);
}
