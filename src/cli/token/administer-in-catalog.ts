import { createToken } from '../../access/create-token.ts';
import { operator } from '../../access/principal.ts';
import type { Catalog } from '../../catalog/contract/catalog.ts';
import { renderToken } from '../../http/schemas/token.ts';
import type { ShownToken, TokenAdministration } from './token-administration.ts';

/** Tokens of one page. */
const pageEntries = 1000;

/** Administers the tokens of a catalog; being able to open it is all the permission needed. Closes it. */
export function administerInCatalog(catalog: Catalog): TokenAdministration {
  return {
    async create({ name, grants, expiresAt }) {
      const { text, record } = await createToken(catalog, operator, {
        name,
        grants,
        ...(expiresAt !== undefined && { expiresAt }),
      });
      return { ...renderToken(record), token: text };
    },
    async list() {
      const listed: ShownToken[] = [];
      for (let after: string | undefined; ;) {
        const page = await catalog.tokens.list({ limit: pageEntries, ...(after !== undefined && { after }) });
        listed.push(...page.map(renderToken));
        if (page.length < pageEntries) return listed;
        after = page.at(-1)!.id;
      }
    },
    revoke: async (id) => void (await catalog.tokens.revoke(id)),
    hasRepository: async (namespace, name) => (await catalog.repositories.find(namespace, name)) !== undefined,
    close: () => catalog.close(),
  };
}
