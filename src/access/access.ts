import type { Catalog } from '../catalog/contract/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { anonymous, operator, type Principal } from './principal.ts';
import { isSecret, parseTokenText } from './token-text.ts';

/** Identifies the senders of requests. */
export interface Access {
  /** The principal of an Authorization field. `unauthenticated` unless the field is absent or holds a valid token. */
  principal(authorization: string | undefined): Promise<Principal>;
}

/** For a server that only its own machine can reach: everybody may do everything. */
export const openAccess: Access = { principal: async () => operator };

/** The Authorization field of hub clients; the scheme is case-insensitive (RFC 9110 section 11.1). */
const bearer = /^bearer +(\S+) *$/i;
/** Compared if there is no such token, so that the time of the answer does not reveal that. */
const nobodysSha256 = '0'.repeat(64);

/**
 * Access by tokens. A revoked or expired token is refused at once, by the clock of the database, because every request
 * looks it up.
 */
export function tokenAccess({ catalog }: { readonly catalog: Pick<Catalog, 'tokens'> }): Access {
  return {
    async principal(authorization) {
      if (authorization === undefined) return anonymous;
      const parsed = parseTokenText(bearer.exec(authorization)?.[1] ?? '');
      if (parsed === undefined) throw refused();
      const record = await catalog.tokens.valid(parsed.id);
      const proven = isSecret(parsed.secret, record?.secretSha256 ?? nobodysSha256);
      if (record === undefined || !proven) throw refused();
      return { id: record.id, name: record.name, grants: record.grants };
    },
  };
}

function refused(): FirnError {
  return new FirnError(
    'unauthenticated',
    'The Authorization field holds no token that is valid here. Many such requests from one address block the others ' +
      'with a token from there, too.',
  );
}
