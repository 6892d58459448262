import type { Catalog } from '../catalog/contract/catalog.ts';
import type { TokenRecord } from '../catalog/contract/token-records.ts';
import { FirnError } from '../checkpoint/firn-error.ts';
import type { Grant } from '../checkpoint/grant.ts';
import { mayGrant, type Principal } from './principal.ts';
import { newTokenText } from './token-text.ts';

export interface TokenInput {
  /** For people: its owner or purpose. */
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly expiresAt?: Date;
}

/** A new token; its text is known only here. */
export interface CreatedToken {
  readonly text: string;
  readonly record: TokenRecord;
}

/**
 * Creates a token that allows no more than `by` may do, else `forbidden`. `invalid-request` if it would have expired
 * already, by the clock of the database, which judges its expiry later, too.
 */
export async function createToken(
  catalog: Pick<Catalog, 'tokens' | 'now'>,
  by: Principal,
  input: TokenInput,
): Promise<CreatedToken> {
  if (!mayGrant(by, input.grants))
    throw new FirnError('forbidden', 'A token can be made only by who holds admin on all it grants.');
  await checkExpiry(catalog, input);
  const { text, id, secretSha256 } = newTokenText();
  return { text, record: await catalog.tokens.create({ ...input, id, secretSha256 }) };
}

async function checkExpiry(catalog: Pick<Catalog, 'now'>, { expiresAt }: TokenInput): Promise<void> {
  if (expiresAt === undefined) return;
  const now = await catalog.now();
  if (expiresAt <= now)
    throw new FirnError(
      'invalid-request',
      `"expiresAt" must be in the future: by the clock of the hub it is ${now.toISOString()}.`,
    );
}

/**
 * The token of a server's first start, which allows everything; undefined if a token was ever made. If several
 * processes start at once, one gets it.
 */
export async function createFirstToken(catalog: Pick<Catalog, 'tokens'>): Promise<string | undefined> {
  const { text, id, secretSha256 } = newTokenText();
  return (await catalog.tokens.createFirst({ id, secretSha256, name: 'admin', grants: [{ scope: 'admin' }] }))
    ? text
    : undefined;
}
