import type { Catalog } from '../catalog/contract/catalog.ts';
import type { Run } from '../catalog/contract/run-records.ts';

/** The API path of a repository's runs, for error messages that name a call. */
export async function runsPath(catalog: Catalog, run: Pick<Run, 'repositoryId'> | undefined): Promise<string> {
  const repository = run && (await catalog.repositories.get(run.repositoryId));
  const name = repository === undefined ? '{namespace}/{name}' : `${repository.namespace}/${repository.name}`;
  return `/v1/repositories/${name}/runs`;
}
