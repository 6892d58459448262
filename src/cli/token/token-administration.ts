import type { Grant } from '../../checkpoint/grant.ts';
import type { renderToken } from '../../http/schemas/token.ts';

/** A token as the API shows it. */
export type ShownToken = ReturnType<typeof renderToken>;

export interface NewToken {
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly expiresAt?: Date;
}

/** Creates, lists and revokes tokens: those of a hub, or of a catalog on this machine. */
export interface TokenAdministration {
  /** The token and its text. */
  create(token: NewToken): Promise<ShownToken & { readonly token: string }>;
  list(): Promise<ShownToken[]>;
  revoke(id: string): Promise<void>;
  /** Whether a repository is there. Who may make a token for one may see it. */
  hasRepository(namespace: string, name: string): Promise<boolean>;
  close(): Promise<void>;
}
