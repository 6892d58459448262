import type { components } from '../firn-api.ts';
import type { Hub } from '../open-hub.ts';
import type { Target } from '../target.ts';
import { allPages, pageLimit } from './all-pages.ts';

type Schemas = components['schemas'];

const page = (after: string | undefined) => ({ limit: pageLimit, ...(after !== undefined && { after }) });

/** What repositories of a list have. */
export interface RepositoryFilter {
  /** A part of `namespace/name`, in any case. */
  readonly search?: string | undefined;
  readonly namespace?: string | undefined;
  readonly visibility?: Schemas['Repository']['visibility'] | undefined;
}

/** Every repository that the token may see and that meets the filter. */
export function listRepositories(
  hub: Hub,
  { search, namespace, visibility }: RepositoryFilter = {},
): Promise<Schemas['Repository'][]> {
  const query = {
    ...(search !== undefined && { search }),
    ...(namespace !== undefined && { namespace }),
    ...(visibility !== undefined && { visibility }),
  };
  return allPages(
    async (after) => (await hub.api.GET('/v1/repositories', { params: { query: { ...page(after), ...query } } })).data!,
  );
}

/** Every run of a repository. */
export function listRuns(hub: Hub, path: Target): Promise<Schemas['Run'][]> {
  return allPages(
    async (after) =>
      (
        await hub.api.GET('/v1/repositories/{namespace}/{name}/runs', {
          params: { path: { namespace: path.namespace, name: path.name }, query: page(after) },
        })
      ).data!,
  );
}

/** Every checkpoint of a run, in its order. */
export function listCheckpoints(hub: Hub, path: Target & { readonly run: string }): Promise<Schemas['Checkpoint'][]> {
  return allPages(
    async (after) =>
      (
        await hub.api.GET('/v1/repositories/{namespace}/{name}/runs/{run}/checkpoints', {
          params: { path, query: page(after) },
        })
      ).data!,
  );
}

/** Every eval set of a repository. */
export function listEvalSets(hub: Hub, path: Target): Promise<Schemas['EvalSet'][]> {
  return allPages(
    async (after) =>
      (
        await hub.api.GET('/v1/repositories/{namespace}/{name}/eval-sets', {
          params: { path: { namespace: path.namespace, name: path.name }, query: page(after) },
        })
      ).data!,
  );
}
