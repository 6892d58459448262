import type { Grant } from '../../checkpoint/grant.ts';
import type { Page } from './page.ts';

export interface TokenRecord {
  /** The part of the token's text that identifies it. */
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
  /**
   * Creates it if no token ever existed; returns whether it did. Succeeds once, even if several processes call it at
   * the same time.
   */
  createFirst(input: Omit<TokenRecord, 'createdAt' | 'revokedAt'>): Promise<boolean>;
  get(id: string): Promise<TokenRecord | undefined>;
  /** Locks the row until the transaction ends; `not-found`. */
  lock(id: string): Promise<TokenRecord>;
  /** The token, unless it is revoked or expired by the clock of the database, which all processes share. */
  valid(id: string): Promise<TokenRecord | undefined>;
  /** By id; `after` is an id. Includes revoked and expired tokens. */
  list(page: Page): Promise<TokenRecord[]>;
  /** If called again, the first time stays. `not-found`. */
  revoke(id: string): Promise<TokenRecord>;
}
