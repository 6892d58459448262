import type { VisibleRepositories } from '../catalog/contract/repository-records.ts';
import { includesScope, scopes, type Grant, type Scope } from '../checkpoint/grant.ts';

/** The sender of a request. */
export interface Principal {
  /** Id of its token; `anonymous` without one, `operator` on a server without access control. In log lines. */
  readonly id: string;
  /** Name of its token. */
  readonly name: string;
  readonly grants: readonly Grant[];
}

/** Principal of requests without a token: sees public repositories. */
export const anonymous: Principal = { id: 'anonymous', name: 'anonymous', grants: [] };
/** Principal of all requests to a server without access control: may do everything. */
export const operator: Principal = { id: 'operator', name: 'operator', grants: [{ scope: 'admin' }] };

/** The place that access is checked on: a repository; without a name a whole namespace, without either everything. */
export interface Place {
  readonly namespace?: string;
  readonly name?: string;
  readonly visibility?: 'private' | 'public';
}

/**
 * The highest scope that a principal has on a place; undefined if it may not see it. Everybody may read public places.
 * Pure.
 */
export function scopeOn({ grants }: Pick<Principal, 'grants'>, place: Place): Scope | undefined {
  const held = grants.filter((grant) => covers(grant, place)).map(({ scope }) => scopes.indexOf(scope));
  if (held.length > 0) return scopes[Math.max(...held)];
  return place.visibility === 'public' ? 'read' : undefined;
}

/** Whether the principal itself has everything that these grants allow. Pure. */
export function mayGrant(principal: Pick<Principal, 'grants'>, granted: readonly Grant[]): boolean {
  const placeOf = ({ namespace, repository }: Grant): Place => ({
    ...(namespace !== undefined && { namespace }),
    ...(repository !== undefined && { name: repository }),
  });
  return granted.every((grant) => includesScope(scopeOn(principal, placeOf(grant)), 'admin'));
}

/** The repositories that a principal sees in a list. Pure. */
export function visibleTo({ grants }: Pick<Principal, 'grants'>): VisibleRepositories {
  if (grants.some(({ namespace }) => namespace === undefined)) return 'all';
  return {
    namespaces: grants.flatMap(({ namespace, repository }) =>
      namespace !== undefined && repository === undefined ? [namespace] : [],
    ),
    repositories: grants.flatMap(({ namespace, repository }) =>
      namespace !== undefined && repository !== undefined ? [{ namespace, name: repository }] : [],
    ),
  };
}

function covers(grant: Grant, { namespace, name }: Place): boolean {
  if (grant.namespace === undefined) return true;
  return grant.namespace === namespace && (grant.repository === undefined || grant.repository === name);
}
