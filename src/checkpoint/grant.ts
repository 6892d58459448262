import { FirnError } from './firn-error.ts';
import { isName } from './names.ts';
import { quoteName } from './words/quote-name.ts';

/** Scopes of a token; each includes the ones before it. */
export const scopes = ['read', 'write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** A scope on a repository, on a namespace with all its repositories, or, without either, on everything. */
export interface Grant {
  readonly scope: Scope;
  readonly namespace?: string;
  /** Only with a namespace. */
  readonly repository?: string;
}

/** Whether a token that has `held` may do what requires `needed`. */
export function includesScope(held: Scope | undefined, needed: Scope): boolean {
  return held !== undefined && scopes.indexOf(held) >= scopes.indexOf(needed);
}

/** Reads `scope`, `scope:namespace` or `scope:namespace/repository`. Throws `invalid-request`. */
export function parseGrant(text: string): Grant {
  const [scopeText = '', place, ...rest] = text.split(':');
  const scope = scopes.find((known) => known === scopeText);
  const names = place?.split('/') ?? [];
  if (scope === undefined || rest.length > 0 || names.length > 2 || !names.every(isName)) {
    throw new FirnError(
      'invalid-request',
      `${quoteName(text)} is no grant: it must be ${scopes.join(', ')}, and then ":namespace" or ` +
        '":namespace/repository" unless it is on everything.',
    );
  }
  const [namespace, repository] = names;
  return { scope, ...(namespace !== undefined && { namespace }), ...(repository !== undefined && { repository }) };
}

/** The text that `parseGrant` reads. */
export function formatGrant({ scope, namespace, repository }: Grant): string {
  if (namespace === undefined) return scope;
  return repository === undefined ? `${scope}:${namespace}` : `${scope}:${namespace}/${repository}`;
}
