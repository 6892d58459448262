import type { Catalog } from '../../catalog/contract/catalog.ts';
import type { Page } from '../../catalog/contract/page.ts';
import type { TokenRecord } from '../../catalog/contract/token-records.ts';
import { pageLimitMax } from '../../catalog/db/page-limit.ts';
import { mayGrant, type Principal } from '../../access/principal.ts';
import { found } from '../request/locate.ts';

/** A page of the tokens that the principal may create itself; it may not see the ids of others. */
export async function listGrantable(
  { tokens }: Pick<Catalog, 'tokens'>,
  by: Principal,
  { limit, after }: Page,
): Promise<TokenRecord[]> {
  const found: TokenRecord[] = [];
  for (let last = after; found.length < limit;) {
    const some = await tokens.list({ limit: pageLimitMax, ...(last !== undefined && { after: last }) });
    found.push(...some.filter(({ grants }) => mayGrant(by, grants)));
    last = some.at(-1)?.id;
    if (some.length < pageLimitMax) break;
  }
  return found.slice(0, limit);
}

/** The token with this id, if the principal may revoke it: its own, or one that it may make. `not-found` otherwise. */
export async function revocable({ tokens }: Pick<Catalog, 'tokens'>, by: Principal, id: string): Promise<TokenRecord> {
  const record = await tokens.get(id);
  const mayRevoke = record !== undefined && (record.id === by.id || mayGrant(by, record.grants));
  return found(mayRevoke ? record : undefined, 'token');
}
