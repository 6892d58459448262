import type { Grant } from '../../checkpoint/grant.ts';
import type { Page } from './page.ts';

export interface TokenRecord {
  /** The part of the token's text that names it. */
  readonly id: string;
  readonly name: string;
  /** Lower-case hex. */
  readonly secretSha256: string;
  readonly grants: readonly Grant[];
  readonly createdAt: Date;
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
}
export interface TokenRecords {
  /** `conflict` when the id exists. */
  create(input: Omit<TokenRecord, 'createdAt' | 'revokedAt'>): Promise<TokenRecord>;
  /** Makes it where no token ever was; returns whether it did. Once, however many processes call it at once. */
  createFirst(input: Omit<TokenRecord, 'createdAt' | 'revokedAt'>): Promise<boolean>;
  get(id: string): Promise<TokenRecord | undefined>;
  /** That one, unless it is revoked or expired by the clock of the database, which all processes share. */
  valid(id: string): Promise<TokenRecord | undefined>;
  /** By id; `after` is an id. Revoked and expired ones, too. */
  list(page: Page): Promise<TokenRecord[]>;
  /** Keeps the first moment of several. `not-found`. */
  revoke(id: string): Promise<TokenRecord>;
}
