import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Repository } from '../catalog/contract/repository-records.ts';
import { scopeOn, type Principal } from './principal.ts';

export interface ChainReader {
  readonly principal: Pick<Principal, 'grants'>;
  /** The repository that the principal reads, and may read. */
  readonly repository: Repository;
}

/**
 * The repository of each package of a chain, by package id, if the principal may read all of them; undefined if one is
 * private to others or was deleted. Then no package of the chain may be given out or named. The chain of a fine-tune
 * ends in its base's repository, and whoever has the fine-tune's files needs only its delta to compute those of the
 * base.
 */
export async function readableChain(
  catalog: Pick<Catalog, 'packages' | 'repositories'>,
  { principal, repository }: ChainReader,
  packageId: string,
): Promise<ReadonlyMap<string, Repository> | undefined> {
  const known = new Map([[repository.id, repository]]);
  const places = new Map<string, Repository>();
  for (const link of await catalog.packages.placesOfChain(packageId)) {
    const holder = known.get(link.repositoryId) ?? (await catalog.repositories.get(link.repositoryId));
    if (holder === undefined) return undefined;
    if (holder.id !== repository.id && scopeOn(principal, holder) === undefined) return undefined;
    known.set(holder.id, holder);
    places.set(link.packageId, holder);
  }
  return places;
}
