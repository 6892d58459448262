import type { Catalog } from '../catalog/contract/catalog.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import { anonymous, operator, type Principal } from './principal.ts';
import { isSecret, parseTokenText } from './token-text.ts';

/** Who may come in. */
export interface Access {
  /**
   * Whose request this is, by its Authorization field. `unauthenticated` for anything but no field or a token that
   * holds.
   */
  principal(authorization: string | undefined): Promise<Principal>;
}

/** A server that only its own machine reaches: everybody may do everything. */
export const openAccess: Access = { principal: async () => operator };

/** Authorization as hub clients send it; the scheme in any case (RFC 9110 section 11.1). */
const bearer = /^bearer +(\S+) *$/i;
/** Compared where there is no such token, so that an answer does not tell by its time whether there is. */
const nobodysSha256 = '0'.repeat(64);

/**
 * Access by tokens. A revoked or expired one is refused from that moment on, by the clock of the database: every
 * request looks it up.
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
  return new FirnError('unauthenticated', 'The Authorization field holds no token that is valid here.');
}
