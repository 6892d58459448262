import type { Hub } from '../../../clients/typescript/src/index.ts';
import { allPages, pageLimit } from '../../../clients/typescript/src/list/all-pages.ts';
import { formatGrant } from '../../checkpoint/grant.ts';
import { ifThere } from '../hub/make-repository.ts';
import type { TokenAdministration } from './token-administration.ts';

/** Administers the tokens of a hub through its API, as far as the token of the session allows. Closes the hub. */
export function administerOnHub(hub: Hub): TokenAdministration {
  return {
    async create({ name, grants, expiresAt }) {
      const { data } = await hub.api.POST('/v1/tokens', {
        body: {
          name,
          grants: grants.map(formatGrant),
          ...(expiresAt !== undefined && { expiresAt: expiresAt.toISOString() }),
        },
      });
      return data!;
    },
    list: () =>
      allPages(
        async (after) =>
          (
            await hub.api.GET('/v1/tokens', {
              params: { query: { limit: pageLimit, ...(after !== undefined && { after }) } },
            })
          ).data!,
      ),
    revoke: async (tokenId) => void (await hub.api.DELETE('/v1/tokens/{tokenId}', { params: { path: { tokenId } } })),
    hasRepository: async (namespace, name) => {
      const path = { namespace, name };
      const ask = () => hub.api.GET('/v1/repositories/{namespace}/{name}', { params: { path } });
      return (await ifThere(ask)) !== undefined;
    },
    close: async () => hub.close(),
  };
}
