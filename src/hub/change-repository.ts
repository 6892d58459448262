import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Precondition } from '../catalog/contract/precondition.ts';
import type { Repository, Visibility } from '../catalog/contract/repository-records.ts';
import { changeHubSettings, type HubSettingsInput } from './change-hub-settings.ts';

export interface RepositoryChange {
  readonly visibility?: Visibility | undefined;
  /** Replaces the settings as a whole. */
  readonly hub?: HubSettingsInput | undefined;
}

/**
 * Changes who reads a repository, how weights that hub clients push are kept, or both: everything or nothing. Errors:
 * those of the precondition and of `changeHubSettings`; `not-found`.
 */
export async function changeRepository(
  catalog: Catalog,
  repository: Repository,
  { visibility, hub }: RepositoryChange,
  precondition?: Precondition,
): Promise<Repository> {
  return catalog.transaction(async (tx) => {
    await precondition?.(tx);
    const seen = visibility && (await tx.repositories.setVisibility(repository.id, visibility));
    const kept = hub && (await changeHubSettings(tx, repository, hub));
    return kept ?? seen ?? repository;
  });
}
